"""Write-ahead journal, and its delivery to the store."""
