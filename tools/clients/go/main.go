// Pays one call by L402 as Aperture's own package does: one credential on two lines, as LSAT and as L402.
//
//	go run . http://127.0.0.1:4021
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"sort"
	"strings"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightninglabs/aperture/l402"
	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/lightningnetwork/lnd/zpay32"
	"gopkg.in/macaroon.v2"
)

var challenge = regexp.MustCompile(`L402 .*macaroon="([^"]+)".*invoice="([^"]+)"`)

func main() {
	bought, err := buy(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(bought)
}

func buy(gateway string) (map[string]any, error) {
	priced, err := prove(gateway, http.Header{})
	if err != nil {
		return nil, err
	}
	offered := challenge.FindStringSubmatch(strings.Join(priced.Header.Values(l402.AuthHeader), "\n"))
	if priced.StatusCode != http.StatusPaymentRequired || offered == nil {
		return nil, fmt.Errorf("%d without a challenge of L402", priced.StatusCode)
	}
	token, invoice := new(macaroon.Macaroon), offered[2]
	raw, err := base64.StdEncoding.DecodeString(offered[1])
	if err != nil {
		return nil, err
	}
	if err := token.UnmarshalBinary(raw); err != nil {
		return nil, err
	}
	if err := standsForInvoice(token, invoice); err != nil {
		return nil, err
	}
	preimage, err := pay(gateway, invoice)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if err := l402.SetHeader(&header, token, preimage); err != nil {
		return nil, err
	}
	answer, err := prove(gateway, header)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return nil, err
	}
	receipts := []string{}
	for name := range answer.Header {
		if strings.Contains(strings.ToLower(name), "receipt") {
			receipts = append(receipts, strings.ToLower(name))
		}
	}
	sort.Strings(receipts)
	_, proved := body["proof"]
	return map[string]any{
		"status": answer.StatusCode, "receipts": receipts, "proved": proved,
		"lines": len(header.Values(l402.HeaderAuthorization)),
	}, nil
}

// standsForInvoice holds the macaroon's identifier against the hash of the invoice, each as lnd and Aperture read it.
func standsForInvoice(token *macaroon.Macaroon, invoice string) error {
	identifier, err := l402.DecodeIdentifier(bytes.NewReader(token.Id()))
	if err != nil {
		return fmt.Errorf("the identifier: %w", err)
	}
	decoded, err := zpay32.Decode(invoice, &chaincfg.RegressionNetParams)
	if err != nil {
		return fmt.Errorf("the invoice: %w", err)
	}
	if identifier.PaymentHash != lntypes.Hash(*decoded.PaymentHash) {
		return fmt.Errorf("the macaroon is of another invoice")
	}
	return nil
}

func prove(gateway string, header http.Header) (*http.Response, error) {
	return post(gateway+"/v1/zk/prove", map[string]any{"traceData": "0x48656c6c6f", "degree": 8}, header)
}

// pay lets the sandbox's node pay.
func pay(gateway, invoice string) (lntypes.Preimage, error) {
	response, err := post(gateway+"/dev/lightning/pay", map[string]any{"invoice": invoice}, http.Header{})
	if err != nil {
		return lntypes.Preimage{}, err
	}
	var paid struct{ Preimage string }
	if err := json.NewDecoder(response.Body).Decode(&paid); err != nil {
		return lntypes.Preimage{}, err
	}
	return lntypes.MakePreimageFromStr(paid.Preimage)
}

func post(url string, body map[string]any, header http.Header) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header = header.Clone()
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	read, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(read))
	return response, err
}
