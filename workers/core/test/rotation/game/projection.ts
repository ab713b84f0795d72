/** The ledger of a real game in the terms of the model: what both must say of a state. */
import * as rules from '../../../src/rotation/rules.ts'
import { countsAt, hasStanding } from '../../../src/rotation/standing-rules.ts'
import { isActive, type KnownDevice, type Ledger, pendingOf, spansOf } from './ledger.ts'
import { type Device, NO_TRACES, type Player, type Request, type State } from './model.ts'
import { movesOf } from './moves.ts'
import type { Act, Referee } from './referee.ts'
import { RULEBOOK, type Rulebook } from './rulebook.ts'
import { type Held, TICK_MS } from './table.ts'
import { TIMES } from './times.ts'

/** The model with these times, in ticks: 3, 21 and 90. */
const BOOK: Rulebook = {
  ...RULEBOOK,
  times: {
    windowMs: TIMES.windowMs / TICK_MS,
    contestMs: TIMES.contestMs / TICK_MS,
    standingMs: TIMES.standingMs / TICK_MS,
  },
}

const maskOf = (devices: readonly number[]) => devices.reduce((mask, i) => mask | (1 << i), 0)

/** Converts a device of the ledger to the model, in ticks. */
export function deviceOf(device: KnownDevice, now: number): Device {
  const { windowMs, standingMs } = BOOK.times
  const spans = spansOf(device, now)
  const open = spans.find(({ until }) => until === null)
  const wait = open ? countsAt({ since: 0, wait: open.wait }, BOOK.times) : windowMs
  const counted = spans.flatMap((span) =>
    span.until !== null && span.until >= countsAt(span, TIMES) ? [Math.floor((now - span.until) / TICK_MS)] : [],
  )
  return {
    holder: device.holder,
    signs: device.cosigns,
    on: isActive(device, now),
    age: open ? Math.min(Math.floor((now - open.since) / TICK_MS), wait) : wait,
    wait,
    lost: Math.min(...counted, standingMs),
    expired: !device.revoked && !isActive(device, now),
    guardians: false,
    frozen: 0,
  }
}

function requestOf(ledger: Ledger, now: number): Request | null {
  const i = pendingOf(ledger)
  const request = i === null ? undefined : ledger.requests[i]
  if (!request) return null
  const { kind, version, by, deadline, requiredCosigners, cosigners, witnesses, eligible } = request
  return {
    kind: kind === 'deactivation' ? 'E' : version === 1 ? '1' : '2',
    basis: 'root',
    by,
    left: deadline === null ? 0 : Math.max(0, Math.ceil((deadline - now) / TICK_MS)),
    need: requiredCosigners > 0,
    cosigned: maskOf(cosigners),
    witnesses: maskOf(witnesses),
    eligible: maskOf(eligible),
    contested: request.contestedAt !== null,
    approved: request.approvedAt !== null,
  }
}

/** What the model knows of a state, apart from looks, kept requests and the operator. */
type Known = Pick<State, 'root' | 'devices' | 'pending'>

function projected(ledger: Ledger, now: number): Known {
  const devices = ledger.devices.map((device) => deviceOf(device, now))
  return { root: ledger.root, devices, pending: requestOf(ledger, now) }
}

/** Without what no rule asks any more: the age of a device that is off, and everything after the end. */
function comparable({ root, devices, pending }: Known): Partial<Known> {
  if (root !== 'S') return { root }
  return { root, devices: devices.map((one) => (one.on ? one : { ...one, age: 0, wait: 0 })), pending }
}

/** What only the model knows: nothing is kept, asked for or restored, and the owner looks. */
const AT_ONCE = {
  disputed: 0,
  kept: 0,
  operator: -1,
  deceived: -1,
  restores: 0,
  traces: NO_TRACES,
  isKnown: true,
  clock: 0,
} as const

type Moves = Record<string, Partial<Known>>

/** Moves of the model from this state. Left out: co-signing a deactivation in one act, which takes two requests. */
export function modelMoves(ledger: Ledger, { root }: Held, player: Player, now: number): Moves {
  const state: State = { ...AT_ONCE, ...projected(ledger, now) }
  const scene = { O: { root: root.O }, T: { root: root.T } }
  return Object.fromEntries(
    movesOf(state, player, scene, BOOK)
      .map(([label, after]) => [label.slice(3), after] as const)
      .filter(([label]) => !label.startsWith('deactivation, ') && (root[player] || !label.startsWith('activate ')))
      .map(([label, after]) => [label, comparable(after)]),
  )
}

/** The same moves by the referee, who agrees with the service. */
export function ruledMoves(referee: Referee, ledger: Ledger, { root }: Held, by: Player, now: number): Moves {
  const moves: Moves = {}
  const add = (label: string, act: Act) => {
    const ruling = referee.rule(ledger, act, now)
    if ('after' in ruling) moves[label] = comparable(projected(ruling.after, now))
  }
  const { devices, requests } = ledger
  const mine = [...devices.keys()].filter((i) => devices[i]?.holder === by)
  const request = requests.length
  const i = pendingOf(ledger)
  const pending = i === null ? undefined : requests[i]
  if (root[by]) {
    add('request 2', { do: 'request', by, request, version: 2 })
    add('request 1', { do: 'request', by, request, version: 1 })
    for (const device of mine) add(`request 2, co-signed by ${device}`, { do: 'recover', by, request, device })
    const agreeing = mine.filter((k) => devices[k] && hasStanding(spansOf(devices[k], now), now, TIMES))
    for (const [device, known] of devices.entries()) {
      if (known.holder !== by && isActive(known, now)) add(`revoke ${device}`, { do: 'revoke', device })
      const isExpired = !known.revoked && !isActive(known, now)
      if (known.holder === by && isExpired) {
        add(`attest ${device} anew`, { do: 'renew', device, agreedBy: agreeing.find((one) => one !== device) ?? null })
      }
    }
    if (by === 'T') {
      const spans = devices.map((device) => spansOf(device, now))
      const current = pending ? { cosigners: pending.cosigners.map(String), approvedAt: pending.approvedAt } : null
      const isAtOnce = rules.decideDeactivation(current, spans, now, TIMES) === 'at_once'
      add(isAtOnce ? 'deactivate' : 'deactivation', { do: 'deactivate', by })
    }
  }
  if (i === null || !pending) return moves
  if (pending.by === by) {
    const open = mine.filter((device) => !pending.cosigners.includes(device))
    for (const device of open) add(`co-sign by ${device}`, { do: 'cosign', request: i, device })
    if (root[by]) add(`activate ${pending.version}`, { do: 'activate', request: i })
  } else {
    for (const device of mine) add(`freeze by ${device}`, { do: 'freeze', request: i, device })
  }
  if (!root[by]) return moves
  const cancelled = referee.rule(ledger, { do: 'cancel', request: i }, now)
  if ('error' in cancelled) return moves
  const isContest = cancelled.after.requests[i]?.status === 'pending'
  const isOther = pending.by !== by
  if (isOther) moves[isContest ? 'contest' : 'cancel'] = comparable(projected(cancelled.after, now))
  return moves
}
