"""Finds the station that is nearest to a place."""

import math


class StationIndex:
    """Stations by latitude, so that a search looks at few of them."""

    def __init__(self, stations):
        self.stations = sorted(stations, key=lambda station: station["lat"])

    def nearest_station(self, lat, lon):
        """The closest station, or None where there is none."""
        return min(self.stations, key=lambda s: great_circle(s["lat"], s["lon"], lat, lon), default=None)


def great_circle(lat1, lon1, lat2, lon2):
    """Distance in kilometres over a round earth."""
    a, b = math.radians(lat1), math.radians(lat2)
    turn = math.radians(lon2 - lon1)
    cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(turn)
    return 6371 * math.acos(max(-1.0, min(1.0, cosine)))
