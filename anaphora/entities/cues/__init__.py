"""Find cues: words and phrases that do something in a dialog (accept, negate, refer, add …)."""
