import { firstKey } from '@svc/protocol/merkle/rolled-log.fixture'
import { contradictions, falseExtensions, LOGS, OTHER_ROOT, UNLISTED } from '../checkpoints.ts'
import { OTHER_REALM, verifying } from '../situation.ts'
import { type Anchored, about, anchors } from './anchored.ts'

/** The log of anchors as a whole: its windows, its checkpoints, and how it grows. */
export const ANCHOR_LOG = [
  verifying({
    name: 'client.anchors.stateProof',
    honest: about(() => [1]),
    lies: [
      {
        lie: 'names another root',
        tell: ({ state }) => {
          state.root = OTHER_ROOT
        },
        subject: 'anchors',
        reason: 'rewritten',
      },
      {
        lie: 'changes an anchor',
        tell: ({ state }) => {
          state.anchors[0]!.epoch = '7'
        },
        subject: 'anchors',
        reason: 'rewritten',
      },
      {
        lie: 'leaves out an anchor',
        tell: ({ state }) => void state.anchors.pop(),
        subject: 'anchors',
        reason: 'rewritten',
      },
    ],
  }),
  verifying({
    name: 'client.anchors.checkpoint',
    honest: about((s) => [s.log.log]),
    lies: [
      {
        lie: 'changes the checkpoint',
        tell: ({ checkpoint }) => void Object.assign(checkpoint.statement, { size: 2 }),
        subject: 'anchors',
        reason: 'invalid_signature',
        where: { log: LOGS.anchors },
      },
      {
        lie: 'shows a checkpoint for another deployment',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { realm: OTHER_REALM })
        },
        subject: 'anchors',
        reason: 'invalid_signature',
        where: { log: LOGS.anchors },
      },
      {
        lie: 'answers with another log',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, { log: UNLISTED })
        },
        subject: 'anchors',
        reason: 'wrong_log',
        where: { log: UNLISTED },
      },
      {
        lie: 'signs with a key that the list does not name',
        tell: async (s) => {
          s.checkpoint = await s.log.checkpoint(3, {}, firstKey)
        },
        subject: 'anchors',
        reason: 'wrong_log',
        where: { log: LOGS.anchors },
      },
      ...contradictions<Anchored>('anchors'),
    ],
  }),
  verifying({
    name: 'client.anchors.verifyExtension',
    honest: async () => {
      const situation = await anchors()
      const earlier = await situation.log.checkpoint(2)
      return Object.assign(situation, { args: () => [earlier, situation.checkpoint] })
    },
    lies: falseExtensions<Anchored>('anchors'),
  }),
]
