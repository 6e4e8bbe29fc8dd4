package dtype

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// timeUnit is the unit a datetime counts in: an index into timeUnits.
type timeUnit byte

const genericUnit timeUnit = 0 // no unit: "M8"

// timeUnits holds NumPy's unit codes (numpy/core/src/multiarray/datetime.c) and what is needed to print them. Years and months have no
// fixed length; the others are several days, or several to a day.
var timeUnits = [...]struct {
	code   string
	days   int64 // days per unit
	perDay int64 // units per day
	digits int   // decimals of the second
}{
	{code: ""},
	{code: "Y"}, {code: "M"},
	{code: "W", days: 7}, {code: "D", days: 1},
	{code: "h", perDay: 24}, {code: "m", perDay: 24 * 60}, {code: "s", perDay: daySeconds},
	{code: "ms", perDay: daySeconds * 1e3, digits: 3}, {code: "us", perDay: daySeconds * 1e6, digits: 6},
	{code: "ns", perDay: daySeconds * 1e9, digits: 9}, {code: "ps", perDay: daySeconds * 1e12, digits: 12},
	{code: "fs", digits: 15}, {code: "as", digits: 18}, // a day overflows in these: perDay is 86400*10^digits
}

const daySeconds = 86400

// parseTime parses "M8", "m8[25s]", "datetime64[ns]" and similar.
func parseTime(order ByteOrder, code string) (Type, bool) {
	stem, bracket, _ := strings.Cut(code, "[")
	kind, ok := map[string]Kind{
		"M": Datetime, "M8": Datetime, "datetime64": Datetime, "m": Timedelta, "m8": Timedelta, "timedelta64": Timedelta,
	}[stem]
	if !ok || len(stem) == 1 && stem != code {
		return Type{}, false
	}
	d := Type{kind: kind, order: order, size: 8}
	if stem == code {
		return d, true
	}
	inner, closed := strings.CutSuffix(bracket, "]")
	if inner == "generic" {
		return d, closed
	}
	letters := strings.TrimLeft(inner, "0123456789")
	count := inner[:len(inner)-len(letters)]
	if count == "" {
		count = "1"
	}
	step, err := strconv.ParseInt(count, 10, 32)
	if err != nil || step < 1 {
		return Type{}, false
	}
	d.step = int32(step)
	d.unit = timeUnitOf(letters)
	return d, closed && d.unit != genericUnit
}

func timeUnitOf(code string) timeUnit {
	if code == "μs" {
		code = "us"
	}
	for i := 1; i < len(timeUnits); i++ {
		if timeUnits[i].code == code {
			return timeUnit(i)
		}
	}
	return genericUnit
}

// unitSuffix returns "[ns]", "[25s]", or nothing for a generic unit and for other kinds.
func (d Type) unitSuffix() string {
	if d.unit == genericUnit {
		return ""
	}
	if d.step == 1 {
		return "[" + timeUnits[d.unit].code + "]"
	}
	return "[" + strconv.Itoa(int(d.step)) + timeUnits[d.unit].code + "]"
}

// formatTime prints count: a Timedelta as a number with its unit ("75s"), a Datetime as ISO 8601 in the proleptic
// Gregorian calendar, with as many decimals as the unit has. The smallest count is NaT, not a time.
func (d Type) formatTime(count int64) string {
	if count == math.MinInt64 {
		return "NaT"
	}
	if d.unit == genericUnit {
		return strconv.FormatInt(count, 10)
	}
	total := new(big.Int).Mul(big.NewInt(count), big.NewInt(int64(d.step)))
	unit := timeUnits[d.unit]
	if d.kind == Timedelta {
		return total.String() + unit.code
	}
	switch unit.code {
	case "Y":
		return isoYear(total.Add(total, big.NewInt(1970)))
	case "M":
		month := new(big.Int)
		total.DivMod(total, big.NewInt(12), month)
		return fmt.Sprintf("%s-%02d", isoYear(total.Add(total, big.NewInt(1970))), month.Int64()+1)
	}
	if unit.days > 0 {
		return isoDate(total.Mul(total, big.NewInt(unit.days)))
	}
	perDay := big.NewInt(unit.perDay)
	if unit.perDay == 0 {
		perDay.Exp(big.NewInt(10), big.NewInt(int64(unit.digits)), nil).Mul(perDay, big.NewInt(daySeconds))
	}
	rest := new(big.Int)
	total.DivMod(total, perDay, rest) // Euclidean: 0 <= rest < perDay
	return isoDate(total) + "T" + clock(rest, unit.code, unit.digits)
}

// clock prints the time of day given in units: "13", "13:45", "13:45:01", "13:45:01.250".
func clock(rest *big.Int, code string, digits int) string {
	switch code {
	case "h":
		return fmt.Sprintf("%02d", rest.Int64())
	case "m":
		return fmt.Sprintf("%02d:%02d", rest.Int64()/60, rest.Int64()%60)
	}
	fraction := new(big.Int)
	perSecond := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	rest.DivMod(rest, perSecond, fraction)
	s := rest.Int64()
	text := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if digits > 0 {
		text += fmt.Sprintf(".%0*d", digits, fraction)
	}
	return text
}

// isoDate prints the date that is days after 1970-01-01.
//
// The calendar repeats every 400 years of 146097 days. Years are counted from 1 March, so that the leap day comes last
// and day-of-year = (153·month+2)/5 for months from March. 1970-01-01 is 719468 days after 0000-03-01.
func isoDate(days *big.Int) string {
	inCycle := new(big.Int)
	cycle := new(big.Int).Add(days, big.NewInt(719468))
	cycle.DivMod(cycle, big.NewInt(146097), inCycle)
	n := inCycle.Int64()
	yearInCycle := (n - n/1460 + n/36524 - n/146096) / 365
	dayOfYear := n - (365*yearInCycle + yearInCycle/4 - yearInCycle/100)
	month := (5*dayOfYear + 2) / 153 // 0 is March
	day := dayOfYear - (153*month+2)/5 + 1
	if month >= 10 {
		yearInCycle++
	}
	year := cycle.Mul(cycle, big.NewInt(400))
	return fmt.Sprintf("%s-%02d-%02d", isoYear(year.Add(year, big.NewInt(yearInCycle))), (month+2)%12+1, day)
}

// isoYear prints at least four digits; a year before 0000 has a minus sign.
func isoYear(year *big.Int) string {
	if year.Sign() < 0 {
		return fmt.Sprintf("-%04d", new(big.Int).Neg(year))
	}
	return fmt.Sprintf("%04d", year)
}
