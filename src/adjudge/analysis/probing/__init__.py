"""How far a judge can be trusted: it is asked about texts and about altered twins of them."""
