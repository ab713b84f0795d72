/** Owner, thief and operator move at random, by the rules and against them. */

import { at } from '../rotation.fixture.ts'
import { isActive, type Ledger } from './ledger.ts'
import type { Player } from './model.ts'
import { modelMoves, ruledMoves } from './projection.ts'
import { type Act, Referee } from './referee.ts'
import { type Held, Table, TICK_MS } from './table.ts'
import { TIMES } from './times.ts'
import { WatchedDevices } from './watched.ts'

const MAX_DEVICES = 6

export type Random = () => number

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <T>(random: Random, from: readonly T[]): T => {
  const one = from[Math.floor(random() * from.length)]
  if (one === undefined) throw new Error('Nothing to pick from')
  return one
}

const PLAYERS = ['O', 'T'] as const

function dealt(random: Random): Held {
  const kinds = ['old', 'old', 'veto', 'expired', 'new'] as const
  const hands = [0, 1, 1, 2] as const
  return {
    root: pick(random, [
      { O: true, T: true },
      { O: false, T: true },
      { O: true, T: false },
    ]),
    devices: PLAYERS.flatMap((holder) =>
      Array.from({ length: pick(random, hands) }, () => ({ holder, kind: pick(random, kinds) })),
    ),
    keeps: random() < 0.6,
  }
}

/** Everything that anybody could try, with the keys that the players hold. Much of it is refused. */
export function actsOf({ devices, requests }: Ledger, { root }: Held, now: number): Act[] {
  const known = [...requests.keys()]
  const rotations = known.filter((i) => requests[i]?.kind === 'rotation')
  const versionOf = (i: number) => requests[i]?.version ?? 2
  const roots = PLAYERS.filter((player) => root[player])
  // Any device may sign an agreement, although most have no standing.
  const agreeing = [null, ...devices.keys()]
  const holderOf = (device: number): Player => devices[device]?.holder ?? 'O'
  const perDevice = [...devices.keys()].flatMap((device): Act[] => {
    const by = holderOf(device)
    const opens = root[by] ? [...rotations, requests.length] : rotations
    return [
      ...opens.map((request): Act => ({ do: 'recover', by, request, device })),
      ...known.flatMap((request): Act[] => [
        { do: 'cosign', request, device },
        { do: 'freeze', request, device },
      ]),
      { do: 'revoke', device },
      ...(isActive(devices[device]!, now) || devices[device]?.revoked
        ? []
        : agreeing.map((agreedBy): Act => ({ do: 'renew', device, agreedBy }))),
    ]
  })
  const perRequest = known.flatMap((request): Act[] => [
    { do: 'freeze as root', request },
    { do: 'cancel', request },
    { do: 'activate', request },
    { do: 'activate for', request },
    { do: 'approve', request, carries: false },
    ...(requests[request]?.kind === 'rotation' ? [{ do: 'approve', request, carries: true } as const] : []),
  ])
  const resent = rotations.map((request): Act => ({ do: 'request', by: 'O', request, version: versionOf(request) }))
  const perRoot = roots.flatMap((by): Act[] => [
    { do: 'request', by, request: requests.length, version: 2 },
    { do: 'request', by, request: requests.length, version: 1 },
    { do: 'deactivate', by },
    { do: 'hold' },
    { do: 'lift' },
    ...(devices.length < MAX_DEVICES
      ? agreeing.map((agreedBy): Act => ({ do: 'attest', by, cosigns: true, agreedBy }))
      : []),
  ])
  return [...perDevice, ...perRequest, ...resent, ...perRoot]
}

/** A kind of act first, so that acts with many operands do not crowd out the others. */
function chosen(random: Random, acts: readonly Act[]): Act {
  const kind = pick(random, [...new Set(acts.map((act) => act.do))])
  return pick(
    random,
    acts.filter((act) => act.do === kind),
  )
}

const WAITS = [1, 1, 1, 2, 3, 3, 6, 12, 18, 60, 90]

type Disagrees = (what: string, actual: unknown, expected: unknown) => void

/**
 * Plays until the root key changes hands or the identity ends, at most so many acts. After each, service and referee must
 * show the same, and referee and model must know the same moves. Returns how it ended.
 */
export async function play(seed: number, acts: number, disagrees: Disagrees): Promise<Ledger['root']> {
  const random = seeded(seed)
  const held = dealt(random)
  const start = Date.UTC(2027, 0, 1)
  const { table, ledger: first } = await Table.laid(held, start)
  const referee = new Referee(TIMES)
  let [ledger, now] = [first, start]
  const story = [`SVC_RANDOM_SEED=${seed} SVC_RANDOM_GAMES=1 plays this again: ${JSON.stringify(held)}`]
  const compare = (what: string, actual: unknown, expected: unknown) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) disagrees(`${story.join('\n')}\n${what}`, actual, expected)
  }
  const dealtDevices = new Map(first.devices.map((device, i) => [table.deviceIds[i] ?? '', device]))
  const watched = new WatchedDevices(dealtDevices, table.watched(await table.seen()).changes)
  const look = async () => {
    const expected = table.expected(ledger)
    const seen = await table.seen()
    compare('in public', visible(seen, expected), expected)
    // The game ends with the first root key.
    if (ledger.root !== 'S') return
    const { devices, changes } = table.watched(seen)
    compare('by a watch token', { devices, changes }, table.expectedWatch(ledger, now))
    watched.see(changes)
  }
  for (let i = 0; i < acts && ledger.root === 'S'; i++) {
    if (random() < 0.3) {
      // Each act has its own millisecond, and a tick is whole: what is due after three ticks is due a little later.
      now += pick(random, WAITS) * TICK_MS
      ledger = referee.at(ledger, now)
      story.push(`${(now - start) / TICK_MS} ticks`)
    } else {
      const all = actsOf(ledger, held, now)
      const allowed = all.filter((act) => 'after' in referee.rule(ledger, act, now))
      const act = chosen(random, random() < 0.75 && allowed.length > 0 ? allowed : all)
      const ruling = referee.rule(ledger, act, now)
      story.push(JSON.stringify(act))
      const { status, error } = await table.perform(act, ledger)
      compare('answer', error ?? status, 'error' in ruling ? ruling.error : 200)
      if ('after' in ruling) ledger = ruling.after
      table.keep(ledger)
    }
    now += 1
    at(now)
    ledger = referee.at(ledger, now)
    await look()
    if (ledger.root !== 'S') break
    // The model knows no holds.
    for (const player of ledger.held ? [] : PLAYERS) {
      // The owner knows only what the service shows with a watch token, the thief knows everything.
      const known = player === 'O' ? watched.ledger(ledger, table.deviceIds, now) : ledger
      const [model, ruled] = [modelMoves(known, held, player, now), ruledMoves(referee, ledger, held, player, now)]
      compare(`moves of ${player}`, sorted(model), sorted(ruled))
    }
  }
  return ledger.root
}

const sorted = (moves: object) => Object.fromEntries(Object.entries(moves).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The members of an answer that the ledger tells, in its order. */
function visible(answer: Record<string, unknown>, expected: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => {
      const seen = answer[name]
      const isNested = typeof value === 'object' && value !== null && typeof seen === 'object' && seen !== null
      return [name, isNested ? visible(seen as Record<string, unknown>, value as Record<string, unknown>) : seen]
    }),
  )
}
