// Pays one call as the Go clients of x402 and of MPP do, with their default settings.
//
//	go run . x402 http://127.0.0.1:4021 0x5de4…   (the key of a wallet)
//	go run . mpp http://127.0.0.1:4021 http://127.0.0.1:4022   (who makes shared payment tokens)
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"

	"github.com/tempoxyz/mpp-go/pkg/client"
	"github.com/tempoxyz/mpp-go/pkg/mpp"
	x402 "github.com/x402-foundation/x402/go"
	x402http "github.com/x402-foundation/x402/go/http"
	evm "github.com/x402-foundation/x402/go/mechanisms/evm/exact/client"
	signers "github.com/x402-foundation/x402/go/signers/evm"
)

func main() {
	bought, err := buy(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(bought)
}

func buy(by, gateway, using string) (map[string]any, error) {
	text := []byte(`{"traceData":"0x48656c6c6f","degree":8}`)
	request, err := http.NewRequest(http.MethodPost, gateway+"/v1/zk/prove", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/json")
	answer, err := send(by, using, request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body := map[string]any{}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return nil, err
	}
	receipts := []string{}
	for name := range answer.Header {
		low := strings.ToLower(name)
		if strings.HasSuffix(low, "receipt") || low == "payment-response" {
			receipts = append(receipts, low)
		}
	}
	sort.Strings(receipts)
	_, proved := body["proof"]
	return map[string]any{"status": answer.StatusCode, "receipts": receipts, "proved": proved}, nil
}

func send(by, using string, request *http.Request) (*http.Response, error) {
	if by == "mpp" {
		return client.New([]client.Method{card{tokens: using}}).Do(request)
	}
	signer, err := signers.NewClientSignerFromPrivateKey(using)
	if err != nil {
		return nil, err
	}
	payer := x402.Newx402Client().Register("eip155:*", evm.NewExactEvmScheme(signer, nil))
	return x402http.WrapHTTPClientWithPayment(http.DefaultClient, x402http.Newx402HTTPClient(payer)).Do(request)
}

// card pays by a shared payment token; the library has methods of its own for Tempo alone.
type card struct{ tokens string }

func (card) Name() string { return "stripe" }

func (by card) CreateCredential(_ context.Context, challenge *mpp.Challenge) (*mpp.Credential, error) {
	asked, err := json.Marshal(map[string]any{
		"amount": challenge.Request["amount"], "currency": challenge.Request["currency"],
	})
	if err != nil {
		return nil, err
	}
	response, err := http.Post(by.tokens, "application/json", bytes.NewReader(asked))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var made struct{ Spt string }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil {
		return nil, err
	}
	return challenge.NewCredential(map[string]any{"spt": made.Spt}), nil
}
