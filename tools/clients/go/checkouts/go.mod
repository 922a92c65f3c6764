module svc.example/checkouts

go 1.26
