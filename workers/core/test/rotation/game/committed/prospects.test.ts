/** What a rehearsal tells the owner of an identity with a commitment is what the solved game says of their holdings. */
import { type Kept, THEFTS, type Theft } from '@svc/protocol/chain/prospects'
import { expect, inject, it } from 'vitest'
import { decideProspect, prospectsOf } from '../../../../src/rotation/prospects.ts'
import type { Holdings } from '../../../../src/rotation/theft/holdings.ts'
import type { DeviceKind, Scene } from '../model.ts'
import { COARSE } from '../rulebook.ts'
import { type Outcome, solve } from '../solver.ts'

const NEVER = Number.POSITIVE_INFINITY
const { times, look, operator: OPERATOR } = COARSE

const DEVICES: readonly Holdings['devices'][] = [
  { cosign: 0, veto: 0 },
  { cosign: 0, veto: 1 },
  { cosign: 1, veto: 0 },
  { cosign: 1, veto: 1 },
  { cosign: 0, veto: 2 },
  { cosign: 2, veto: 0 },
]
const KEPT: readonly Kept[] = [true, false].flatMap((rootCopy) =>
  ([[], [2]] as const).flatMap((requests) =>
    [0, 1, 2].map((sheets) => ({ rootCopy, requests: [...requests], sheets })),
  ),
)
const HOLDINGS: readonly Holdings[] = [false, true].flatMap((isReplaceable) =>
  [false, true].flatMap((operator) =>
    DEVICES.flatMap((devices) =>
      KEPT.map((kept) => ({ devices, kept, operator, acceptsV2: true, commitment: { isReplaceable } })),
    ),
  ),
)

const has = (theft: Theft, what: 'root' | 'device' | 'words') =>
  !theft.endsWith('_lost') && (theft === 'everything' || theft.split('_').includes(what))

/** The scene of a theft: the thief takes the strongest device, and a sheet of words. */
function sceneOf(theft: Theft, { devices, kept, operator, commitment }: Holdings): Scene | null {
  const all: DeviceKind[] = [
    ...Array.from({ length: devices.cosign }, () => 'old' as const),
    ...Array.from({ length: devices.veto }, () => 'veto' as const),
  ]
  const [takesRoot, takesDevice, takesWords] = [has(theft, 'root'), has(theft, 'device'), has(theft, 'words')]
  const sheets = kept.sheets ?? 0
  const isGone = takesWords || theft === 'words_lost'
  if ((takesDevice && all.length === 0) || (isGone && sheets === 0)) return null
  const root = kept.rootCopy || !(takesRoot || theft === 'root_lost')
  // The root key can sign every request anew, so kept ones add nothing to a copy.
  const requests = kept.requests.includes(2) && !root ? 1 : 0
  // One device of an owner decides like two of its kind.
  const left = takesDevice ? all.slice(1, 2) : all.slice(0, 1)
  const stolen = takesDevice ? all.slice(0, 1) : []
  return {
    O: { root, devices: left, requests, successor: sheets > (isGone ? 1 : 0) },
    T: { root: takesRoot, devices: stolen, successor: takesWords, attests: takesRoot && stolen[0] !== 'old' ? 1 : 0 },
    operator,
    commitment: commitment?.isReplaceable ? 'replaceable' : 'final',
  }
}

/** Scenes that differ for the owner alone are solved once. */
const solved = new Map<string, Outcome>()
function solutionOf(scene: Scene): Outcome {
  const key = JSON.stringify(scene)
  const outcome = solved.get(key) ?? solve(scene, COARSE)
  solved.set(key, outcome)
  return outcome
}

/** Takes seconds to solve. */
function isLong({ T, O, operator, commitment }: Scene): boolean {
  if (!T.root || !(T.successor || operator)) return false
  const devices = (T.devices ?? []).length + (O.devices ?? []).length
  return operator === true || commitment === 'replaceable' || devices > 1
}

/** Whether the outcome that is told is the one of the game. */
function check(theft: Theft, holdings: Holdings, { thief, owner }: Outcome): void {
  const { outcome, within, notBefore, row } = decideProspect(theft, holdings, times)
  const about = `${theft} ${JSON.stringify(holdings)}: ${row}, thief ${thief}, owner ${owner}`
  switch (outcome) {
    case 'keeps':
      expect(thief, about).toBe(NEVER)
      break
    case 'recovers':
      expect(thief, about).toBe(NEVER)
      expect(owner, about).toBeLessThanOrEqual((within ?? OPERATOR) + look)
      break
    case 'standoff':
      expect([thief, owner], about).toEqual([NEVER, NEVER])
      break
    case 'lost':
      expect(owner, about).toBe(NEVER)
      if (row === 'nothing_signed') expect(thief, about).toBe(NEVER)
      else expect(thief, about).toBeLessThan(NEVER)
      expect(thief, about).toBeGreaterThanOrEqual(notBefore ?? NEVER)
  }
}

it.each(THEFTS)('%s: agrees with the game in every combination of holdings', { timeout: 600_000 }, (theft) => {
  for (const holdings of HOLDINGS) {
    const scene = sceneOf(theft, holdings)
    if (!scene || (isLong(scene) && !inject('games').solvesAll)) continue
    check(theft, holdings, solutionOf(scene))
  }
})

it('advises a second sheet and a device, with which the owner recovers from every theft but one', () => {
  const devices = { cosign: 1, veto: 0 }
  const kept = { rootCopy: false, requests: [2 as const], sheets: 1 }
  const holdings = { devices, kept, operator: false, acceptsV2: true, commitment: { isReplaceable: true } }
  const told = prospectsOf(holdings, times).map(({ theft, outcome, preparations }) => [theft, outcome, preparations])
  expect(told).toEqual([
    ['root', 'recovers', []],
    ['root_and_device', 'recovers', []],
    ['device', 'recovers', []],
    ['root_lost', 'recovers', []],
    ['words', 'keeps', []],
    ['words_and_device', 'keeps', []],
    ['words_and_root', 'lost', ['keep_sheet']],
    ['everything', 'lost', ['add_cosigner', 'keep_sheet']],
    ['words_lost', 'recovers', []],
  ])
  const prepared = { ...holdings, devices: { cosign: 2, veto: 0 }, kept: { ...kept, sheets: 2 } }
  const outcomes = prospectsOf(prepared, times).map(({ theft, outcome }) => [theft, outcome])
  expect(outcomes.filter(([, outcome]) => outcome !== 'recovers')).toEqual([['everything', 'standoff']])
})

it('tells of what there is: no theft of words or devices from somebody who has none', () => {
  const kept = { rootCopy: false, requests: [], sheets: 0 }
  const bare = { devices: { cosign: 0, veto: 0 }, kept, operator: false, acceptsV2: true }
  const told = prospectsOf({ ...bare, commitment: { isReplaceable: false } }, times)
  expect(told.map(({ theft, row }) => [theft, row])).toEqual([
    ['root', 'safe'],
    ['root_lost', 'nothing_signed'],
  ])
})
