//! Buys a proof from a running product with a published client, unmodified, and prints a line of JSON.
//!
//! Usage: payers CLIENT GATEWAY WITH, where CLIENT is `x402` or `mpp`, and WITH the key of the wallet, or the address that makes tokens.

use std::env::args;
use std::sync::Arc;

use alloy_signer_local::PrivateKeySigner;
use mpp::MppError;
use mpp::client::{Fetch, StripeProvider};
use mpp::protocol::methods::stripe::CreateTokenResult;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use x402_chain_eip155::V2Eip155ExactClient;
use x402_reqwest::{ReqwestWithPayments, ReqwestWithPaymentsBuild, X402Client};

type Answer = Result<Response, Box<dyn std::error::Error>>;

async fn x402(url: &str, body: Value, wallet: &str) -> Answer {
    let signer: PrivateKeySigner = wallet.parse()?;
    let payer = X402Client::new().register(V2Eip155ExactClient::new(Arc::new(signer)));
    let client = Client::new().with_payments(payer).build();
    let asked = client.post(url).header("content-type", "application/json");
    Ok(asked.body(body.to_string()).send().await?)
}

async fn mpp(url: &str, body: Value, tokens: &str) -> Answer {
    let tokens = tokens.to_owned();
    let provider = StripeProvider::new(move |wanted| {
        let asked = Client::new().post(&tokens).json(&wanted);
        Box::pin(async move {
            let failed = |error: reqwest::Error| MppError::Http(error.to_string());
            let made: Value = asked
                .send()
                .await
                .map_err(failed)?
                .json()
                .await
                .map_err(failed)?;
            Ok(CreateTokenResult::from(
                made["spt"].as_str().unwrap_or_default().to_owned(),
            ))
        })
    });
    let asked = Client::new()
        .post(url)
        .header("Accept-Payment", "stripe/charge")
        .json(&body);
    Ok(asked.send_with_payment(&provider).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [client, gateway, with] = args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .expect("CLIENT GATEWAY WITH");
    let url = format!("{gateway}/v1/zk/prove");
    let body = json!({ "traceData": format!("bought by {client} in Rust"), "degree": 1024 });
    let answer = match client.as_str() {
        "x402" => x402(&url, body, &with).await?,
        "mpp" => mpp(&url, body, &with).await?,
        other => panic!("there is no client {other}"),
    };
    let status = answer.status().as_u16();
    let receipts: Vec<_> = ["payment-receipt", "payment-response", "svc-receipt"]
        .into_iter()
        .filter(|name| answer.headers().contains_key(*name))
        .collect();
    let proved = answer.json::<Value>().await?["proof"].is_string();
    println!(
        "{}",
        json!({ "client": client, "status": status, "receipts": receipts, "proved": proved })
    );
    Ok(())
}
