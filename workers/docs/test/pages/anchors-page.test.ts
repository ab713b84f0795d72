import { anchorBundleSchema } from '@svc/protocol/ledger/anchor-log'
import { anchorSubmissionSchema, submissionBytes, submitAnchorSchema } from '@svc/protocol/ledger/anchor-submission'
import { anchorIdOf, stateProofSchema, verifyStateProof } from '@svc/protocol/ledger/anchors'
import { expect, it } from 'vitest'
import { ANCHORS } from './anchor-digests.ts'
import { value } from './examples.ts'

it('shows the entries of the log, and the proof that follows from them', () => {
  expect(value('anchor-log-opening')).toEqual(JSON.parse(ANCHORS.opening))
  expect(value('anchor-entry')).toEqual(JSON.parse(ANCHORS.entry))
  const { proof, checkpoint, log, record } = anchorBundleSchema.parse(value('anchor-bundle'))
  expect(proof).toEqual(ANCHORS.proof)
  expect(checkpoint.statement).toMatchObject({ log: log.log, size: 2, root: ANCHORS.root })
  expect(record).toEqual(ANCHORS.record)
})

it('shows what an attestation signs, and when', () => {
  const { realm, owner, root, epoch, issuedAt } = anchorSubmissionSchema.parse(value('anchor-submission'))
  const signed = new TextDecoder().decode(submissionBytes({ owner, root, epoch }, realm, issuedAt))
  expect(JSON.parse(signed)).toEqual(value('anchor-submission'))
  const sent = submitAnchorSchema.parse(value('submit-anchor'))
  expect([sent.root, sent.epoch]).toEqual([root, epoch])
  expect(sent.attestations.map(({ signedAt }) => Date.parse(signedAt ?? ''))).toEqual([issuedAt])
  expect(ANCHORS.record.anchorId).toBe(anchorIdOf(owner, root, epoch))
})

it('shows a state proof that holds', () => {
  expect(verifyStateProof(stateProofSchema.parse(value('state-proof')))).toBe(true)
})
