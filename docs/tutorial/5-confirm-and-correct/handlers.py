"""Answers for the bot, from what restaurants.csv knows."""

import csv
from pathlib import Path

from anaphora import Answer

with Path(__file__).with_name("restaurants.csv").open(encoding="utf-8") as file:
    RESTAURANTS = list(csv.DictReader(file))


def names(element):
    """The values of the element restaurant: each name, without further synonyms."""
    return {row["name"]: [] for row in RESTAURANTS}


def find(kitchen, district, declined):
    refused = {bundle.get("restaurant") for bundle in declined}
    found = [
        row
        for row in RESTAURANTS
        if row["kitchen"] == kitchen
        and district in (None, row["district"])
        and row["name"] not in refused
    ]
    if not found:
        return Answer(f"I know no other {kitchen} restaurant there.", offers=[])
    text = " or ".join(f"{row['name']} (${row['price']})" for row in found)
    offers = [{"restaurant": row["name"], "money": f"${row['price']}"} for row in found]
    return Answer(f"How about {text}?", offers=offers, then="book")


def address(restaurant):
    (row,) = (row for row in RESTAURANTS if row["name"] == restaurant)
    return f"{restaurant} is at {row['address']}."


def book(restaurant, guests, date, data):
    table = f"{restaurant} for {guests}, {date}"
    data.setdefault("tables", {})[table] = restaurant
    return f"Booked: {table}."


def bookings(data):
    return "; ".join(data.get("tables", ())) or "You have not booked a table yet."


def cancel(restaurant, data):
    tables = data.get("tables", {})
    found = [table for table, where in tables.items() if restaurant in (None, where)]
    if not found:
        return "You have booked no such table."
    del tables[found[-1]]
    return f"Cancelled: {found[-1]}."
