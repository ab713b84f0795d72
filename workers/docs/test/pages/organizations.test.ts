/** What the examples of the pages on organizations and resolution say is what the protocol computes. */
import { resolutionResultSchema } from '@svc/protocol/did/did'
import { orgEventHash, orgEventSchema } from '@svc/protocol/did/org-bindings'
import { membershipsPageSchema, orgAppendedSchema } from '@svc/protocol/did/organizations'
import { resolutionStatementOf } from '@svc/protocol/did/resolution-proof'
import { resolutionProofSchema } from '@svc/protocol/did/resolution-statement'
import { subjectHashOf } from '@svc/protocol/did/subject-hash'
import { expect, it } from 'vitest'
import { REALMS, value } from './examples.ts'

it('the event of the page has the hash that its answer and its roster name', () => {
  const event = orgEventSchema.parse(value('org-event'))
  const hash = orgEventHash(event)
  expect(orgAppendedSchema.parse(value('org-appended')).hash).toBe(hash)
  const page = membershipsPageSchema.parse(value('org-memberships'))
  expect([page.head.hash, page.memberships[0]?.latest.hash]).toEqual([hash, hash])
  const { orgDid, provider = '', subjectHash } = event.statement
  expect(subjectHashOf('0c'.repeat(32), { orgDid, provider, subject: 'ann@example.com' })).toBe(subjectHash)
})

it('the proof of the page is over the result of the page', async () => {
  const result = resolutionResultSchema.parse(value('resolution'))
  const { statement } = resolutionProofSchema.parse(value('resolution-proof'))
  const asked = { resolver: 'did:web:did.example', did: statement.did, version: null }
  expect({ ...(await resolutionStatementOf(result, asked)), realm: REALMS[0] }).toEqual(statement)
})
