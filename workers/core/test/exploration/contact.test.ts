import { describe, expect, it } from 'vitest'
import { contact, isOver, type Scene, type State } from './contact.ts'
import { explore, type Invariants } from './explore.ts'

/** The promises that the page for reviewers names. */
const PROMISES: Invariants<State> = {
  'who wrote has shown the code of the mailbox': ({ messages }) => messages.every(({ wasConfirmed }) => wasConfirmed),
  'a request delivers one message': ({ messages }) => messages.length <= 1,
  'nobody but the owner opens the message': ({ isLeaked }) => !isLeaked,
  'an answer counts if the owner opened the message and signed for it': ({ answered, hasRead }) =>
    answered === null || (answered.signedBy === 'owner' && answered.about === 'this' && hasRead),
  'a delivered or ended request keeps no address': ({ row }) =>
    row === null || row.delivered === null || !row.hasAddress,
}

const SCENES = [
  { core: 'honest', isPinned: true, remains: [], size: [10_280, 53_404] },
  { core: 'honest', isPinned: false, remains: [], size: [10_280, 53_404] },
  {
    core: 'lying',
    isPinned: true,
    remains: ['who wrote has shown the code of the mailbox', 'a request delivers one message'],
    size: [2288, 14_608],
  },
  {
    core: 'lying',
    isPinned: false,
    remains: [
      'an answer counts if the owner opened the message and signed for it',
      'nobody but the owner opens the message',
      'who wrote has shown the code of the mailbox',
      'a request delivers one message',
    ],
    size: [3056, 18_880],
  },
] as const satisfies readonly (Scene & { remains: readonly string[]; size: readonly [states: number, moves: number] })[]

describe('all that can happen to a contact request', () => {
  it.each(SCENES)('core is $core, the owner is pinned: $isPinned', ({ remains, size, ...scene }) => {
    const { states, moves, violations, stuck } = explore(contact(scene), PROMISES, isOver)
    expect(Object.keys(violations).toSorted()).toEqual([...remains].toSorted())
    expect(stuck).toBe(0)
    expect([states.length, moves]).toEqual(size)
  })

  it('connects the two in every scene', () => {
    for (const scene of SCENES) {
      const { states } = explore(contact(scene), {}, isOver)
      expect(states.some(({ answered, hasRead }) => answered?.signedBy === 'owner' && hasRead)).toBe(true)
    }
  })
})
