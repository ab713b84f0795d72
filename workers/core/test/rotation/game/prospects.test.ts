/** What a rehearsal tells an owner is what the solved game says of their holdings. */
import type { Kept, Theft } from '@svc/protocol/chain/prospects'
import { expect, inject, it } from 'vitest'
import { decideProspect, prospectsOf } from '../../../src/rotation/prospects.ts'
import type { Holdings } from '../../../src/rotation/theft/holdings.ts'
import type { DeviceKind, Scene } from './model.ts'
import { RULEBOOK } from './rulebook.ts'
import { solve } from './solver.ts'

const NEVER = Number.POSITIVE_INFINITY
const { times, look: LOOK, operator: OPERATOR } = RULEBOOK

const DEVICES: readonly Holdings['devices'][] = [
  { cosign: 0, veto: 0 },
  { cosign: 0, veto: 1 },
  { cosign: 1, veto: 0 },
  { cosign: 1, veto: 1 },
  { cosign: 0, veto: 2 },
  { cosign: 2, veto: 0 },
]
const KEPT: readonly Kept[] = [true, false].flatMap((rootCopy) =>
  [[], [2], [1], [1, 2]].map((requests) => ({ rootCopy, requests: requests as (1 | 2)[] })),
)

/** The scene of a theft: the thief takes the strongest device. */
function sceneOf(theft: Theft, { devices, kept, operator }: Holdings): Scene | null {
  const all: DeviceKind[] = [
    ...Array.from({ length: devices.cosign }, () => 'old' as const),
    ...Array.from({ length: devices.veto }, () => 'veto' as const),
  ]
  const takesDevice = theft === 'root_and_device' || theft === 'device'
  if (takesDevice && all.length === 0) return null
  const root = kept.rootCopy || theft === 'device'
  // The root key can sign every request anew, so kept ones add nothing to a copy.
  const requests = kept.requests.includes(2) && !root ? 1 : 0
  // One device of an owner decides like two of its kind.
  const left = takesDevice ? all.slice(1, 2) : all.slice(0, 1)
  const O = { root, devices: left, requests, handed: kept.requests.includes(1) && !root }
  const T = { root: theft.startsWith('root') && theft !== 'root_lost', devices: takesDevice ? all.slice(0, 1) : [] }
  return { T, O, operator }
}

const CASES = (['root', 'root_and_device', 'device', 'root_lost'] as const).flatMap((theft) =>
  [false, true].flatMap((operator) =>
    DEVICES.flatMap((devices) =>
      KEPT.map((kept) => ({ theft, operator, devices, kept, acceptsV2: true, commitment: null })),
    ),
  ),
)

/** Scenes that differ for the owner alone are solved once. */
const solved = new Map<string, ReturnType<typeof solve>>()
function solutionOf(scene: Scene) {
  const key = JSON.stringify(scene)
  const outcome = solved.get(key) ?? solve(scene, RULEBOOK)
  solved.set(key, outcome)
  return outcome
}

/** Takes seconds to solve. `game.test.ts` has one of them. */
const isLong = ({ T, O, operator }: Scene) =>
  Boolean(operator && O.root && T.root) && (T.devices ?? []).length + (O.devices ?? []).length > 1

it('agrees with the game in every combination of holdings', { timeout: 600_000 }, () => {
  for (const { theft, ...holdings } of CASES) {
    const scene = sceneOf(theft, holdings)
    if (!scene || (isLong(scene) && !inject('games').solvesAll)) continue
    const { thief, owner } = solutionOf(scene)
    const { outcome, within, notBefore, row } = decideProspect(theft, holdings, times)
    const about = `${theft} ${JSON.stringify(holdings)}: ${row}, thief ${thief}, owner ${owner}`
    switch (outcome) {
      case 'keeps':
        // A look to revoke the device, and one to request.
        expect(thief, about).toBe(NEVER)
        expect(owner, about).toBeLessThanOrEqual((within ?? OPERATOR) + 2 * LOOK)
        break
      case 'recovers':
        expect(thief, about).toBe(NEVER)
        expect(owner, about).toBeLessThanOrEqual((within ?? OPERATOR) + LOOK)
        break
      case 'standoff':
        expect([thief, owner], about).toEqual([NEVER, NEVER])
        break
      case 'lost':
        expect(owner, about).toBe(NEVER)
        if (theft === 'root_lost') expect(thief, about).toBe(NEVER)
        else expect(thief, about).toBeLessThan(NEVER)
        expect(thief, about).toBeGreaterThanOrEqual(notBefore ?? NEVER)
    }
  }
})

it('advises preparations after which the owner recovers, if there are any', () => {
  const kept = { rootCopy: false, requests: [] }
  const bare = { devices: { cosign: 0, veto: 0 }, kept, acceptsV2: true, commitment: null }
  const adviceOf = (holdings: Holdings) =>
    Object.fromEntries(prospectsOf(holdings, times).map(({ theft, preparations }) => [theft, preparations]))
  expect(adviceOf({ ...bare, operator: false })).toEqual({
    root: ['add_cosigner', 'keep_request'],
    root_lost: ['add_cosigner', 'keep_request'],
  })
  expect(adviceOf({ ...bare, operator: true, devices: { cosign: 1, veto: 0 } })).toEqual({
    root: ['keep_request'],
    root_and_device: ['add_cosigner', 'keep_operator_request'],
    device: [],
    root_lost: ['keep_request'],
  })
})
