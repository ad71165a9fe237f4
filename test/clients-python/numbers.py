"""Mobile numbers of every country that Google's metadata has, by Python's phonenumbers, written in seven ways.

Prints a JSON line for each: the country of the account, the number as a person writes it, and the E.164 number that it is.
Twenty numbers a country: the example, and those that differ in their last digits and are valid too.
"""

import json
import random

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

chosen = random.Random(20261128)
mobile = (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)

for country in sorted(phonenumbers.SUPPORTED_REGIONS):
    example = phonenumbers.example_number_for_type(country, PhoneNumberType.MOBILE)
    if example is None:
        continue
    numbers = [example]
    for _ in range(200):
        if len(numbers) == 20:
            break
        end = chosen.choice((2, 4, 6))
        other = phonenumbers.PhoneNumber()
        other.merge_from(example)
        other.national_number = example.national_number // 10**end * 10**end + chosen.randrange(10**end)
        if phonenumbers.region_code_for_number(other) == country and phonenumbers.number_type(other) in mobile:
            numbers.append(other)
    for number in numbers:
        e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        ways = {
            "E.164": e164,
            "international": phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL),
            "00": f"00{e164[1:]}",
            "no plus": e164[1:],
            "national": national,
            "no trunk prefix": phonenumbers.national_significant_number(number),
            "decimal": f"{e164[1:]}.0",
        }
        for way, written in ways.items():
            print(json.dumps([country, way, written, e164]))
