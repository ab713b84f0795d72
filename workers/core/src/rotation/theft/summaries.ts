/**
 * What each row of the tables on the page says to an owner.
 *
 * @module
 */
import type { ProspectRow } from '@svc/protocol/chain/prospects'
import type { Times } from '../rules.ts'

export const SUMMARIES: Readonly<Record<ProspectRow, (times: Times) => string>> = {
  device_recovers: ({ windowMs, contestMs }) =>
    `Your device and your request recover the identity without an operator, in ${span(windowMs)}, or ${span(contestMs)} if the thief contests.`,
  operator_recovers: () =>
    'The operator recovers the identity with your request, in the time that they take. Ask first.',
  operator_in_time: ({ windowMs, contestMs }) =>
    `The operator recovers the identity if they act within ${span(contestMs - windowMs)}. Contest what the thief requests, and ask first.`,
  device_delays: ({ standingMs, windowMs }) =>
    `The thief cannot take the identity. After you revoke the device, it can delay a rotation by version 2 for about ${span(standingMs + windowMs)}; an operator does not wait for it.`,
  standoff: () => 'Neither you nor the thief can rotate the key: each stops the other, and there is no operator.',
  vetoes_run_out: ({ standingMs }) =>
    `Your device can only veto. The thief wins ${span(standingMs)} after they revoke it.`,
  devices_against_each_other: ({ standingMs }) =>
    `Your device and the thief’s stop each other. The thief wins ${span(standingMs)} after they revoke yours.`,
  copy_against_two: ({ contestMs }) => `You can only contest. The thief wins after ${span(contestMs)}.`,
  nothing_against_two: ({ windowMs }) => `You can stop nothing. The thief wins after ${span(windowMs)}.`,
  no_device: () => 'Nothing stops the thief: without a device that counts, they end or take the identity at once.',
  kept_request: ({ windowMs }) => `What you keep brings the identity back, in about ${span(windowMs)}.`,
  nothing_signed: () =>
    'Nobody can bring the identity back, not even the operator: nothing is left that its root key signed.',
  words_recover: ({ windowMs }) =>
    `Your words and a signature of the root key recover the identity in ${span(windowMs)}.`,
  words_contested: ({ contestMs }) =>
    `Your second sheet recovers the identity in ${span(contestMs)} at most; the thief’s words can only delay it.`,
  words_alone: ({ standingMs }) => `Your words alone bring the identity back, in ${span(standingMs)}.`,
  replaced: ({ standingMs }) =>
    `Root key and device together put another key in the place of the lost words, in ${span(standingMs)}.`,
  device_revoked: () => 'The thief cannot take the identity. Revoke the device.',
  words_watched: ({ standingMs }) =>
    `The words alone need ${span(standingMs)}: look once a month, and end what the thief requests, with the root key or any device.`,
  safe: () =>
    'The thief cannot take the identity, and you cannot rotate it: that takes your words, and a signature of the root key or the operator.',
  dispute: () => 'You and the thief end each other’s requests. Neither gets a new key without an operator.',
  not_replaceable: () => 'The identity works on, and never rotates again.',
  replaced_by_thief: ({ standingMs }) =>
    `The thief puts another key in the place of your words, in ${span(standingMs)} at the earliest. A sheet of words would stop it.`,
  outsigned: ({ contestMs }) => `Your words can delay the thief once. The thief wins after ${span(contestMs)}.`,
  dispute_lost: ({ windowMs, contestMs }) =>
    `Your request ends the thief’s, but they can ask again with a new device. The thief wins after ${span(windowMs + contestMs)}.`,
  unopposed: ({ windowMs }) => `Without a second sheet you can stop nothing. The thief wins after ${span(windowMs)}.`,
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** In the largest unit that fits: `7 days`. */
function span(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]
  const count = Math.round(ms / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
