"""The protocol of recognizers, and recognizers made of functions."""
