/** Lies about signed checkpoints that two logs have in common. */
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import type { FixtureLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALM } from '../realm.ts'
import { type Lie, NOW, type Situation } from './situation.ts'

const HOUR = 3_600_000
export const OTHER_ROOT = 'a7'.repeat(48)

export interface Shown extends Situation {
  readonly log: FixtureLog
  checkpoint: LogCheckpoint
  proof: (first: number, second: number) => string[]
  now: number
}
/** The log did not sign this time. */
export const changedCheckpoint = (signed: LogCheckpoint) =>
  ({ ...signed, statement: { ...signed.statement, issuedAt: NOW + 1 } }) as LogCheckpoint
export const LOGS = { anchors: `${REALM}/anchors/2027b`, transparency: `${REALM}/transparency/2027b` } as const
export const UNLISTED = `${REALM}/anchors/2099z`
type LogSubject = keyof typeof LOGS
/** What a log can show instead of what it showed before. */
export const contradictions = <S extends Shown>(subject: LogSubject): readonly Lie<S>[] => [
  {
    lie: 'shows a shorter log than before',
    tell: async (s) => {
      s.now += HOUR
      s.checkpoint = await s.log.checkpoint(1)
    },
    subject,
    reason: 'rollback',
    where: { position: 1 },
    afterTruth: true,
  },
  {
    lie: 'shows another log of the same length than before',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(s.log.lines.length, { root: OTHER_ROOT })
    },
    subject,
    reason: 'fork',
    where: { position: 3 },
    afterTruth: true,
  },
  {
    lie: 'shows a longer log that does not contain the one before',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(9, { root: OTHER_ROOT })
    },
    subject,
    reason: 'fork',
    where: { position: 9 },
    afterTruth: true,
  },
]
/** What keeps a later checkpoint from extending an earlier one. */
export const falseExtensions = <S extends Shown>(subject: LogSubject): readonly Lie<S>[] => [
  {
    lie: 'shows a wrong consistency proof',
    tell: (s) => {
      s.proof = () => [OTHER_ROOT]
    },
    subject,
    reason: 'inconsistent',
    where: { log: LOGS[subject], position: 3 },
  },
  {
    lie: 'shows a later log with other entries',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(s.log.lines.length, { root: OTHER_ROOT })
    },
    subject,
    reason: 'inconsistent',
    where: { log: LOGS[subject], position: 3 },
  },
  {
    lie: 'shows a later log that is shorter',
    tell: async (s) => {
      s.checkpoint = await s.log.checkpoint(1)
    },
    subject,
    reason: 'inconsistent',
    where: { log: LOGS[subject], position: 1 },
  },
]
