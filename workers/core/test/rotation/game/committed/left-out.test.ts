/** Every rule is missed: without it an owner loses, or never regains, what they otherwise keep or regain. */
import { err, ok } from '@svc/protocol/base/result'
import { expect, it } from 'vitest'
import type { Vetoer } from '../../../../src/rotation/rules.ts'
import type { Scene } from '../model.ts'
import { COARSE, type Rulebook } from '../rulebook.ts'
import { solve } from '../solver.ts'
import { sceneOf } from './scenes.ts'

const NEVER = Number.POSITIVE_INFINITY
const final = { commitment: 'final' } as const
const withOperator = { ...final, operator: true } as const
const deceived = { ...final, operator: 'deceived' } as const

/** A veto that a full request is not safe from. */
const vetoable = (who: (by: Vetoer) => boolean): Partial<Rulebook> => ({
  decideVeto: (rival, by, at) =>
    rival.basis === 'full' && rival.approvedAt === null && who(by) ? ok('stop') : COARSE.decideVeto(rival, by, at),
})

const LEFT_OUT: [string, Partial<Rulebook>, thief: string, owner: string, Partial<Scene>][] = [
  ['R13: the root key must sign', { basisOf: ({ successor }) => (successor ? 'full' : null) }, 'S', 'RD', final],
  [
    'R13: a device does not take its place',
    {
      basisOf: (factors, isReplaceable) =>
        factors.successor && factors.device ? 'full' : COARSE.basisOf(factors, isReplaceable),
    },
    'DS',
    'RD',
    final,
  ],
  ['R13: the root key ends no full request', vetoable((by) => by === 'root'), 'R', 'KS', final],
  ['R13: a device ends no full request', vetoable((by) => typeof by === 'object'), 'RD', 'KS', final],
  [
    'R14: a rival ends it',
    {
      decideSuccession: (...operands) => {
        const decided = COARSE.decideSuccession(...operands)
        return decided.ok && decided.value === 'disputes' ? err({ reason: 'rotation_pending' }) : decided
      },
    },
    'RS',
    'RS',
    final,
  ],
  [
    'R15: a committed key delays it',
    {
      decideVeto: (rival, by, at) => {
        const decided = COARSE.decideVeto(rival, by, at)
        return decided.ok && decided.value === 'contest' ? err({ reason: 'rotation_full' }) : decided
      },
    },
    'RS',
    'S',
    withOperator,
  ],
  [
    'R16: the successor alone opens a request',
    {
      basisOf: (factors, isReplaceable) => {
        const basis = COARSE.basisOf(factors, isReplaceable)
        return basis === 'successor' ? null : basis
      },
    },
    '',
    'S',
    final,
  ],
  [
    'R16: the root key ends it',
    {
      decideVeto: (rival, by, at) =>
        rival.basis === 'successor' && by === 'root'
          ? err({ reason: 'not_eligible' })
          : COARSE.decideVeto(rival, by, at),
    },
    'S',
    'R',
    final,
  ],
  ['R17: the root key alone ends no identity', { mayEnd: ({ root }) => root }, 'R', 'RD', final],
  [
    'R9: the operator needs no root signature',
    { mayAsk: ({ root, successor }) => root && successor },
    'R',
    'S',
    withOperator,
  ],
  ['R9: the operator needs the successor', { mayAsk: ({ root, successor }) => root || successor }, 'R', 'RD', deceived],
  [
    'R19: a committed key ends it',
    {
      decideVeto: (rival, by, at) =>
        rival.basis === 'replacement' ? err({ reason: 'not_eligible' }) : COARSE.decideVeto(rival, by, at),
    },
    'RD',
    'DS',
    { commitment: 'replaceable' },
  ],
  [
    'R19: root key and device may replace the successors',
    { basisOf: (factors) => COARSE.basisOf(factors, false) },
    '',
    'RD',
    { commitment: 'replaceable' },
  ],
]

it.each(LEFT_OUT)('%s', (_, changes, thief, owner, rest) => {
  const scene = sceneOf(thief, owner, rest)
  const [ruled, without] = [solve(scene, COARSE), solve(scene, { ...COARSE, ...changes })]
  expect(ruled.thief).toBe(NEVER)
  const isWorse = without.thief < NEVER || without.owner > ruled.owner
  expect(isWorse, `${without.thief}, ${without.owner}`).toBe(true)
})

/** An owner who looks only after a window has 30 days to end what the words alone opened. */
it('R16: the successor alone waits as long as standing lasts', () => {
  const late = { ...COARSE, look: 3 }
  const scene = sceneOf('S', 'R', final)
  const hasty = solve(scene, { ...late, deadlineOf: (_basis, _version, now, { windowMs }) => now + windowMs })
  expect([solve(scene, late).thief, hasty.thief]).toEqual([NEVER, 2])
})

/** An owner who looks too late finds a device of the thief that has standing, which the root key alone attested. */
it.each<[string, string, Partial<Scene>]>([
  ['R', 'KD', { view: 'devices' }],
  ['RS', 'KDS', { ...final, view: 'devices' }],
])("R3': a device counts after a window if one with standing agreed: %s | %s", (thief, owner, rest) => {
  const late = { ...COARSE, look: 3 }
  const scene = sceneOf(thief, owner, rest)
  const without = solve(scene, { ...late, waitOf: () => 'window' })
  expect([solve(scene, late).owner, without.owner]).toEqual([6, NEVER])
})
