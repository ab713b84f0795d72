import { anchorSubmissionSchema, submissionBytes, submitAnchorSchema } from '@svc/protocol/ledger/anchor-submission'
import { anchorIdOf, stateProofSchema, verifyStateProof } from '@svc/protocol/ledger/anchors'
import { anchorBundleSchema } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { expect, it } from 'vitest'
import { ANCHORS } from './anchor-digests.ts'
import { value } from './examples.ts'

it('shows the entries of the log, and the proof that follows from them', () => {
  expect(value('anchor-log-opening')).toEqual(JSON.parse(ANCHORS.opening))
  expect(value('anchor-entry')).toEqual(JSON.parse(ANCHORS.entry))
  const { proof, checkpoint, log, record, first, cosigned } = anchorBundleSchema.parse(value('anchor-bundle'))
  expect(proof).toEqual(ANCHORS.proof)
  expect(checkpoint.statement).toMatchObject({ log: log.log, size: 2, root: ANCHORS.root })
  expect(record).toEqual(ANCHORS.record)
  // One witness, which cosigned the state of the checkpoint.
  const { cosignature } = cosigned[0]!
  expect(cosigned).toEqual([{ cosignature, proof, consistency: [] }])
  expect(first).toEqual({ cosignature, consistency: [] })
  expect(cosignature.statement).toMatchObject({ log: log.log, size: 2, root: ANCHORS.root })
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
