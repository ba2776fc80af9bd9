"""How many phrases of Duckling's corpora are read as Duckling reads them?"""
