import { describe, expect, it } from 'vitest'
import { type Explored, explore, type Invariants } from './explore.ts'
import { isOver, pairing, type Scene, type State } from './pairing.ts'

/** The promises that the page for reviewers names. */
const PROMISES: Invariants<State> = {
  'the owner attests no device but the one in the person’s hand': ({ attested }) => attested !== 'attacker',
  'what is attested has accepted, with a proof that the owner saw': ({ attested, read }) =>
    attested === null || (read?.joiner === attested && read.accepts === 'owner' && read.isProved),
  'the device joins the identity that made its invitation': ({ device, looked }) =>
    !['member', 'stored', 'confirmed'].includes(device) || looked === 'owner',
  'nobody else opens what the owner delivers': ({ isLeaked }) => !isLeaked,
  'a delivery is handed over once': ({ handedOver }) => handedOver <= 1,
  'who is attested for good has confirmed': ({ attestation, device }) =>
    attestation !== 'confirmed' || device === 'confirmed',
}

const scene = (changes: Partial<Scene> = {}): Scene => ({
  core: 'honest',
  photograph: 'never',
  compares: true,
  proves: true,
  ...changes,
})
const explored = (changes: Partial<Scene>): Explored<State> => explore(pairing(scene(changes)), PROMISES, isOver)
const broken = (changes: Partial<Scene>) => Object.keys(explored(changes).violations)

/** `size`: states and moves, which the page for reviewers has. */
const SCENES = [
  { core: 'honest', photograph: 'never', size: [259, 480] },
  { core: 'honest', photograph: 'late', size: [333, 705] },
  { core: 'honest', photograph: 'first', size: [365, 780] },
  { core: 'lying', photograph: 'never', size: [60, 136] },
  { core: 'lying', photograph: 'late', size: [169, 864] },
  { core: 'lying', photograph: 'first', size: [282, 1512] },
] as const satisfies readonly (Pick<Scene, 'core' | 'photograph'> & {
  size: readonly [states: number, moves: number]
})[]

describe('all that can happen in a pairing', () => {
  it.each(SCENES)(
    'keeps every promise: core is $core, the invitation is photographed $photograph',
    ({ size, ...given }) => {
      const { states, moves, violations, stuck } = explored(given)
      const remains =
        given.core === 'lying' && given.photograph === 'first'
          ? ['the device joins the identity that made its invitation']
          : []
      expect(Object.keys(violations)).toEqual(remains)
      expect(stuck).toBe(0)
      expect([states.length, moves]).toEqual(size)
    },
  )

  it('ends every device that was attested and does not confirm, without an act of the owner', () => {
    const { states } = explored({})
    const orphans = states.filter(({ attestation, device }) => attestation === 'unconfirmed' && device === 'lost')
    expect(orphans.length).toBeGreaterThan(0)
    for (const orphan of orphans) {
      const after = [...pairing(scene()).moves(orphan)].filter(([move]) => move === 'an hour passes')
      expect(after.map(([, { attestation }]) => attestation)).toEqual(['ended'])
    }
  })

  it('reaches the good end in every scene', () => {
    for (const { core, photograph } of SCENES)
      expect(
        explored({ core, photograph }).states.some(
          ({ device, looked }) => device === 'confirmed' && looked === 'owner',
        ),
      ).toBe(true)
  })
})

describe('the proofs', () => {
  it('keep out a core that lies, even if nobody compares the codes', () => {
    expect(broken({ core: 'lying', compares: false })).toEqual([])
  })

  it('and the comparison are both needed against somebody who has seen the invitation', () => {
    const photographed = { compares: false, photograph: 'first' } as const
    expect(broken(photographed)).toContain('the owner attests no device but the one in the person’s hand')
    expect(broken({ ...photographed, core: 'lying' })).toContain('nobody else opens what the owner delivers')
  })

  it('are what keeps core out: without them it puts its own device in', () => {
    const { violations } = explored({ core: 'lying', compares: false, proves: false })
    expect(violations['the owner attests no device but the one in the person’s hand']).toEqual([
      'the owner reads attacker',
      'the owner attests attacker',
    ])
    expect(violations).toHaveProperty('the device joins the identity that made its invitation')
  })
})
