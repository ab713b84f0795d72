/** What `recover` tells an owner of an identity with sheets when somebody else asked first, or ended the request. */
import { commitmentOf, recoveryByWords, renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous } from '../../harness.ts'
import { approvalOf, at, DAY_MS, OPERATOR_SEED } from '../rotation.fixture.ts'
import { created, lender, stranger } from './sheets.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const REALM = 'https://core.test'

/** An owner whose device counts. */
async function owner() {
  const made = await created()
  at(Date.now() + 2 * DAY_MS)
  const { scope } = made.identity
  const [first, second] = await Promise.all(made.papers.map((sheet) => sheet.successor({ scope, epoch: 1 })))
  const helper = stranger({ identity: await lender() })
  return { ...made, scope, first: first!, second: second!, helper }
}
const byWords = (successor: Awaited<ReturnType<typeof owner>>['first'], sheets: SuccessorSheet[]) =>
  recoveryByWords(successor, { realm: REALM, now: Date.now(), sheets })

describe('a recovery with sheets, beside another rotation', () => {
  it('words alone end a replacement by a thief of root key and device', async () => {
    const { identity, device, first, papers, scope, helper } = await owner()
    const theirs = [SuccessorSheet.create()]
    const thief = await theirs[0]!.successor({ scope, epoch: 1 })
    const request = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: theirs })
    await helper.recovery(request).recover({ successor: thief, device })
    const kept = await byWords(first, papers)
    const { acts, status } = await helper.recovery(kept).recover({ successor: first })
    expect(acts).toContain('contest')
    expect(status.rotation).toMatchObject({ basis: 'successor', status: 'pending' })
  })

  it('words alone delay a request by a thief of root key and other words, and call the operator', async () => {
    const { identity, second, first, papers, helper } = await owner()
    const theirs = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: [papers[1]!] })
    await helper.recovery(theirs).recover({ successor: second })
    const kept = await byWords(first, papers)
    const { needs, status } = await helper.recovery(kept).recover({ successor: first, dispute: true })
    expect(needs).toBe('operator')
    expect(status.rotation?.contestedAt).not.toBeNull()
  })

  it('after a dispute without a device, a device is needed', async () => {
    const { identity, first, second, papers, helper } = await owner()
    const now = Date.now()
    const mine = await renewRecovery(identity, { realm: REALM, now, sheets: [papers[0]!] })
    const theirs = await renewRecovery(identity, { realm: REALM, now, sheets: [papers[1]!] })
    await helper.recovery(theirs).recover({ successor: second })
    const disputed = await helper.recovery(mine).recover({ successor: first, dispute: true })
    expect(disputed.status.rotation?.status).toBe('disputed')
    expect(disputed).toMatchObject({ needs: 'device' })
  })

  it('a device is needed as well if the thief has disputed the recovery', async () => {
    const { identity, first, second, papers, helper } = await owner()
    const now = Date.now()
    const mine = await renewRecovery(identity, { realm: REALM, now, sheets: [papers[0]!] })
    const theirs = await renewRecovery(identity, { realm: REALM, now, sheets: [papers[1]!] })
    await helper.recovery(mine).recover({ successor: first })
    await helper.recovery(theirs).recover({ successor: second, dispute: true })
    const disputed = await helper.recovery(mine).recover({ successor: first })
    expect({ needs: disputed.needs, stage: disputed.status.stage, next: disputed.status.next.act }).toEqual({
      needs: 'device',
      stage: 'stopped',
      next: 'start',
    })
  })

  it('a request with words alone that was ended needs the operator, since it never opens again', async () => {
    const { client, first, papers, helper } = await owner()
    const kept = await byWords(first, papers)
    const begun = await helper.recovery(kept).recover({ successor: first })
    await client.rotation.freeze(begun.status.rotation?.rotationId ?? '')
    const { needs, status } = await helper.recovery(kept).recover({ successor: first })
    expect({ needs, next: status.next.act }).toEqual({ needs: 'operator', next: 'operator' })
  })

  it('a device cannot reopen it', async () => {
    const { client, first, papers, helper, device } = await owner()
    const kept = await byWords(first, papers)
    const begun = await helper.recovery(kept).recover({ successor: first, device })
    await client.rotation.freeze(begun.status.rotation?.rotationId ?? '')
    const { needs, status } = await helper.recovery(kept).recover({ successor: first, device })
    expect({ needs, next: status.next.act }).toEqual({ needs: 'operator', next: 'operator' })
  })

  it('other words and a device take the place of a request with stolen words and the file', async () => {
    const { kept, first, second, device, helper } = await owner()
    await helper.recovery(kept).recover({ successor: second })
    const { status } = await helper.recovery(kept).recover({ successor: first, device })
    expect(status.rotation).toMatchObject({ status: 'pending', newUserId: first.userId, cosignatures: 1 })
  })

  it('a replacement that words ended does not send the owner to the operator, who could not approve it', async () => {
    const { identity, device, scope, first, helper } = await owner()
    const fresh = [SuccessorSheet.create()]
    const successor = await fresh[0]!.successor({ scope, epoch: 1 })
    const request = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: fresh })
    const begun = await helper.recovery(request).recover({ successor, device })
    await stranger({ identity: await lender() }).rotation.freezeAs(first, begun.status.rotation?.rotationId ?? '')
    const ended = await helper.recovery(request).recover({ successor, device })
    if (ended.request) {
      const { rotationId, request: asked } = ended.request
      const act = await approvalOf(identity.did, rotationId, OPERATOR_SEED, asked)
      expect(await anonymous('POST', '/api/operator/acts', act)).toMatchObject({ status: 200 })
    }
    expect(ended.needs).not.toBe('operator')
  })

  it('another copy of the file, for the same sheet, continues what the first opened', async () => {
    const { identity, kept, first, papers, helper } = await owner()
    const copy = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: papers })
    await helper.recovery(kept).recover({ successor: first })
    const { status } = await helper.recovery(copy).recover({ successor: first })
    expect(status.stage).toBe('waiting')
    at(Date.now() + DAY_MS)
    expect(await helper.recovery(copy).recover({ successor: first })).toMatchObject({ status: { stage: 'done' } })
  })

  it('a file that names fewer sheets does not end the recovery with the same words', async () => {
    const { identity, kept, first, papers, helper } = await owner()
    const copy = await renewRecovery(identity, { realm: REALM, now: Date.now(), sheets: [papers[0]!] })
    await helper.recovery(kept).recover({ successor: first })
    await helper
      .recovery(copy)
      .recover({ successor: first })
      .catch(() => null)
    expect(await helper.recovery(kept).status()).toMatchObject({ stage: 'waiting' })
  })

  it('words alone continue their first request after a lost download', async () => {
    const { first, papers, helper } = await owner()
    await helper.recovery(await byWords(first, papers)).recover({ successor: first })
    const again = await helper.recovery(await byWords(first, papers)).recover({ successor: first })
    expect(again.status.stage).toBe('opened')
  })

  it('a rotation that the owner started is not ended by a recovery with the other sheet', async () => {
    const { client, kept, first, second, papers, scope, helper } = await owner()
    const commitment = await commitmentOf(papers, { scope, epoch: 2 })
    const signed = await client.rotation.makeRequest(first, { version: 2, commitment })
    await client.rotation.request(signed)
    await helper
      .recovery(kept)
      .recover({ successor: second })
      .catch(() => null)
    expect((await client.chain.root(kept.did)).rotation?.status).toBe('pending')
  })
})
