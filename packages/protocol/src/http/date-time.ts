import * as z from 'zod'
import { pure } from '../base/pure.ts'

/** RFC 3339 section 5.6; of days beyond a month's last, `timeOfDateTime` decides. */
const DATE_TIME =
  /^([0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:)([0-5][0-9]|60)(\.[0-9]+)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/i

/**
 * The time of an RFC 3339 `date-time` in epoch ms, or null if the text is not one. A leap second is the first instant of the
 * next minute, as in POSIX time.
 */
export function timeOfDateTime(text: string): number | null {
  const [, minute = '', second = '', fraction = '', offset = ''] = DATE_TIME.exec(text.toUpperCase()) ?? []
  if (second === '' || !isDay(minute)) return null
  const isLeap = second === '60'
  const time = Date.parse(`${minute}${isLeap ? '59' : second}${isLeap ? '' : fraction.slice(0, 4)}${offset}`)
  return isLeap ? time + 1000 : time
}

/** `Date` rolls the 30th of February over into March. */
function isDay(minute: string): boolean {
  const date = minute.slice(0, 10)
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
}

export const dateTimeSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .max(64)
    .refine((text) => timeOfDateTime(text) !== null, 'must be an RFC 3339 date-time')
    .meta({ format: 'date-time' }),
)
