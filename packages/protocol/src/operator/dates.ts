/**
 * The dates in operator acts. A mistyped one would take effect or bind for years, so each is held to when the act was
 * signed, which the service holds to its clock.
 *
 * @module
 */
import * as z from 'zod'

/** Clock tolerance of an operator act. Nonces are kept forever, so this only guards against a mistyped time. */
export const OPERATOR_ACT_TOLERANCE_MS = 300_000

const DAY_MS = 24 * 3_600_000
/** Nothing that is imported is older. A time in seconds reads as January 1970, so it is refused. */
const EARLIEST = /* @__PURE__ */ Date.UTC(2000, 0, 1)
/** Ten years have 3,653 days at most. The days that codes and invitations give reach as far, as `days` of their acts. */
export const MAX_GRANT_DAYS = 3660
/** A year. An epoch that is signed today begins and ends within it. */
export const MAX_EPOCH_DAYS = 366

/** What a date in an act can be, beside the time of signing. */
const RULES = {
  past: { from: Number.POSITIVE_INFINITY, days: 0, text: 'not before the year 2000, nor after `issuedAt`' },
  grant: {
    from: 0,
    days: MAX_GRANT_DAYS,
    text: `at most ${MAX_GRANT_DAYS} days after \`issuedAt\`, and not before it`,
  },
  epoch: {
    from: DAY_MS,
    days: MAX_EPOCH_DAYS,
    text: `at most ${MAX_EPOCH_DAYS} days after \`issuedAt\`, and one day before it`,
  },
} as const
export type DateRule = keyof typeof RULES

/** A member that is a date. Its act names the rule again, by the name of the member. */
export function actDate(rule: DateRule, description: string) {
  return z
    .int()
    .min(EARLIEST)
    .meta({ description: `${description}, epoch ms; ${RULES[rule].text}` })
}

/** The rule of each member that is a date, and of those in the items of a list. */
export interface ActDates {
  readonly [member: string]: DateRule | ActDates
}

interface DateFault {
  readonly path: (string | number)[]
  readonly message: string
}

/** The dates that break their rules. The schema refuses what is before the earliest date, and other types. */
export function dateFaults(act: Readonly<Record<string, unknown>>, dates: ActDates): DateFault[] {
  const issuedAt = Number(act['issuedAt'])
  return faultsIn(act, dates, issuedAt, [])
}

function faultsIn(value: unknown, dates: ActDates, issuedAt: number, path: (string | number)[]): DateFault[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => faultsIn(item, dates, issuedAt, [...path, i]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(dates).flatMap(([name, rule]) => {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof rule === 'object') return faultsIn(member, rule, issuedAt, [...path, name])
    if (typeof member !== 'number' || member < EARLIEST || isWithin(rule, member, issuedAt)) return []
    return [{ path: [...path, name], message: `must be ${RULES[rule].text}` }]
  })
}

function isWithin(rule: DateRule, date: number, issuedAt: number): boolean {
  const { from, days } = RULES[rule]
  return date >= issuedAt - from && date <= issuedAt + days * DAY_MS + (days === 0 ? OPERATOR_ACT_TOLERANCE_MS : 0)
}
