import { err, ok } from '@svc/protocol/base/result'
import { expect, it } from 'vitest'
import { RULEBOOK, type Rulebook } from './rulebook.ts'
import { SCENES, type SceneName } from './scenes.ts'
import { solve } from './solver.ts'

const NEVER = Number.POSITIVE_INFINITY

/** Ticks of a third of a window until the thief wins, and until the owner has the identity back. */
it.each<[SceneName, thief: number, owner: number]>([
  ['root | device, kept request', NEVER, 7],
  ['root | device, root copy', NEVER, 7],
  ['root | vetoing device, kept request', 9, NEVER],
  ['root | vetoing device, root copy, operator', NEVER, 5],
  ['root | vetoing device, handed request, slow operator', NEVER, 7],
  ['root | device', 9, NEVER],
  ['root, expired device | device, kept request', NEVER, 7],
  ['root, device | device, root copy, operator', NEVER, 5],
  ['root, device | device, root copy', 15, NEVER],
  ['root, device | device, kept requests, operator', NEVER, 5],
  ['root, device | root copy, operator', NEVER, 5],
  ['root, device | root copy', 6, NEVER],
  ['device | root', NEVER, 15],
  ['device | root, operator', NEVER, 5],
  ['expired device | root', NEVER, 5],
  ['root | device, root copy, deceived operator', 3, NEVER],
  ['device | root, deceived operator', NEVER, 5],
  ['root, guardians | device, kept request', NEVER, 7],
  ['root, guardians | device, root copy', NEVER, 7],
  ['root | vetoing device, guardians, kept request', 9, NEVER],
  ['root | guardians, kept request', 0, NEVER],
  ['root | root copy, no devices', 0, NEVER],
  ['nobody | root, device', NEVER, 5],
  ['nobody | root', NEVER, 5],
])('%s', (name, thief, owner) => {
  const outcome = solve(SCENES[name], RULEBOOK)
  expect([outcome.thief, outcome.owner], outcome.play).toEqual([thief, owner])
})

/**
 * Why guardians stay bookkeeping. They would give an owner with a device that only vetoes what a co-signing device gives.
 * But a thief who deceives a threshold of them takes the identity from an owner with a device and a request, who
 * otherwise needs to trust nobody. Without a device they would not help at all: the thief ends the identity at once.
 */
it.each<[SceneName, thief: number, owner: number]>([
  ['root | vetoing device, guardians, kept request', NEVER, 7],
  ['root | guardians, kept request', 0, NEVER],
  ['root, guardians | device, kept request', 10, NEVER],
  ['root, guardians | device, root copy', 13, NEVER],
])('if a threshold of guardians counted as a co-signature: %s', (name, thief, owner) => {
  const outcome = solve(SCENES[name], { ...RULEBOOK, countsGuardians: true })
  expect([outcome.thief, outcome.owner], outcome.play).toEqual([thief, owner])
})

const KEPT = 'root | device, kept request'

/** The rules with one left out, and the scene in which it is missed. */
const LEFT_OUT: [string, Partial<Rulebook>, SceneName][] = [
  ['R1: standing outlasts the device', { times: { ...RULEBOOK.times, standingMs: 0 } }, KEPT],
  ['R2: freezes do not run out', { freezes: 1 }, 'root | vetoing device, handed request, slow operator'],
  ['R3: an attestation starts a new span', { startsAnew: false }, 'root, expired device | device, kept request'],
  [
    'R4: the root key does not end what is co-signed',
    {
      decideVeto: (request, by, now) =>
        by === 'root' && request.cosigners.length > 0 ? ok('stop') : RULEBOOK.decideVeto(request, by, now),
    },
    KEPT,
  ],
  [
    'R4: a device that had standing does',
    {
      decideVeto: (request, by, now) =>
        by !== 'root' && request.cosigners.length > 0
          ? err({ reason: 'not_eligible' })
          : RULEBOOK.decideVeto(request, by, now),
    },
    'root, device | device, kept requests, operator',
  ],
  [
    'R5: the root key can contest',
    {
      decideVeto: (request, by, now) => {
        const decided = RULEBOOK.decideVeto(request, by, now)
        return decided.ok && decided.value === 'contest' ? err({ reason: 'rotation_cosigned' }) : decided
      },
    },
    'root, device | root copy, operator',
  ],
  ['R6: a co-signature carries its request', { mayOpen: (pending) => pending === null }, KEPT],
  ['R7: a cancelled request may come again', { mayReopen: () => false }, KEPT],
  ['R8: anyone activates what is co-signed', { mayAnyoneActivate: () => false }, KEPT],
  ['R11: nothing overtakes what is co-signed', { mayOpen: () => true }, KEPT],
  [
    'R9: an approval takes what was stopped',
    { mayApprove: ({ status }) => status === 'pending' },
    'root, device | device, root copy, operator',
  ],
  [
    'R9: nobody vetoes what is approved',
    { decideVeto: (request, by, now) => RULEBOOK.decideVeto({ ...request, approvedAt: null }, by, now) },
    'root, device | device, root copy, operator',
  ],
  ['R10: a deactivation waits', { decideDeactivation: () => 'at_once' }, KEPT],
]

it.each(LEFT_OUT)('the owner loses, or never regains, without %s', (_, changes, name) => {
  const { thief, owner } = solve(SCENES[name], { ...RULEBOOK, ...changes })
  expect(thief < NEVER || owner === NEVER).toBe(true)
})
