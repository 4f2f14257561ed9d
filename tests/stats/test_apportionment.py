"""Places of groups: against the seats of the US House of Representatives after the census of 2020."""

from __future__ import annotations

import zlib

from endoxa.stats.apportionment import apportioned, apportioned_within

# Apportionment population and seats, US Census Bureau, "2020 Census Apportionment Results", table 1.
HOUSE = """
Alabama 5030053 7, Alaska 736081 1, Arizona 7158923 9, Arkansas 3013756 4, California 39576757 52, Colorado 5782171 8,
Connecticut 3608298 5, Delaware 990837 1, Florida 21570527 28, Georgia 10725274 14, Hawaii 1460137 2, Idaho 1841377 2,
Illinois 12822739 17, Indiana 6790280 9, Iowa 3192406 4, Kansas 2940865 4, Kentucky 4509342 6, Louisiana 4661468 6,
Maine 1363582 2, Maryland 6185278 8, Massachusetts 7033469 9, Michigan 10084442 13, Minnesota 5709752 8,
Mississippi 2963914 4, Missouri 6160281 8, Montana 1085407 2, Nebraska 1963333 3, Nevada 3108462 4,
New-Hampshire 1379089 2, New-Jersey 9294493 12, New-Mexico 2120220 3, New-York 20215751 26, North-Carolina 10453948 14,
North-Dakota 779702 1, Ohio 11808848 15, Oklahoma 3963516 5, Oregon 4241500 6, Pennsylvania 13011844 17,
Rhode-Island 1098163 2, South-Carolina 5124712 7, South-Dakota 887770 1, Tennessee 6916897 9, Texas 29183290 38,
Utah 3275252 4, Vermont 643503 1, Virginia 8654542 11, Washington 7715946 10, West-Virginia 1795045 2,
Wisconsin 5897473 8, Wyoming 577719 1
"""


def test_seats_of_the_house():
    states = [line.split() for line in HOUSE.split(",")]
    people = {name: int(count) for name, count, _ in states}
    assert apportioned(people, 435, lambda name: zlib.crc32(name.encode())) == {
        name: int(seats) for name, _, seats in states
    }


def test_every_group_is_represented_as_far_as_places_go():
    sizes = {("a", "x"): 90, ("a", "y"): 2, ("b", "x"): 4, ("b", "y"): 4, ("c", "x"): 1}

    def places(n):
        return apportioned_within(sizes, n, lambda group: zlib.crc32("|".join(group).encode()))

    outer = {name: sum(n for group, n in places(3).items() if group[0] == name) for name in "abc"}
    assert outer == {"a": 1, "b": 1, "c": 1}
    assert all(n >= 1 for n in places(6).values())
    assert sorted(places(4).values()) == [0, 1, 1, 1, 1]
    assert sum(places(40).values()) == 40
    assert places(500) == sizes
