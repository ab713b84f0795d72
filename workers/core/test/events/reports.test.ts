import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/base/hash'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { idBytes } from '../../src/anchors/rows.ts'
import { sweepPublications } from '../../src/anchors/services.ts'
import { EventStore } from '../../src/events/store.ts'
import { anchored, publicationOf, report, reportTo } from '../anchors/anchors.fixture.ts'
import { sendWith } from '../harness.ts'
import { freshOwner, opened, storedIn, verify } from '../inbox/inbox.fixture.ts'

const identityOf = (did: string) => env.IDENTITIES.getByName(did)
const told = (did: string) =>
  runInDurableObject(identityOf(did), ({ stored }) =>
    new EventStore(stored).after(0, 100).map(({ kind, ref }) => `${kind} ${ref}`),
  )

/** The cron trigger tells them in this order. */
const orderOf = ({ anchorId }: { readonly anchorId: string }) => toHex(idBytes(anchorId))

/** The identities cannot be reached. */
const cutOff = {
  getByName: () => ({ reportEvents: () => Promise.reject(new Error('unreachable')) }),
}

afterEach(() => {
  vi.useRealTimers()
})

async function delivered() {
  const owner = await freshOwner()
  const message = await opened(owner)
  expect(await verify(message.contact, message.code, message.envelope)).toMatchObject({ status: 200 })
  const inbox = env.INBOXES.getByName(owner.did)
  const [{ msg_id: msgId } = {}] = ((await storedIn(owner.did))?.['messages'] ?? []) as { msg_id?: string }[]
  return { did: owner.did, inbox, msgId, message }
}

/** The alarm is due at once, so the runtime may be running it already. */
async function isReported(inbox: DurableObjectStub, did: string, msgId: string | undefined): Promise<void> {
  await runDurableObjectAlarm(inbox)
  await vi.waitFor(
    async () => {
      expect(await told(did)).toEqual([`inbox.message ${msgId}`])
      expect((await storedIn(did))?.['unreported']).toEqual([])
    },
    { timeout: 20_000 },
  )
}

describe('a delivered message', () => {
  it('is in the feed of its owner once, however often it is reported', async () => {
    const { did, inbox, msgId } = await delivered()
    await isReported(inbox, did, msgId)
    const reported = { kind: 'inbox.message', ref: msgId ?? '', id: msgId ?? '' } as const
    await Promise.all(Array.from({ length: 20 }, async () => identityOf(did).reportEvents([reported])))
    expect(await told(did)).toEqual([`inbox.message ${msgId}`])
  })

  it('is reported after a crash between delivery and report', async () => {
    const { did, inbox, msgId } = await delivered()
    await evictDurableObject(inbox)
    await isReported(inbox, did, msgId)
  })
})

describe('a publication of an anchor', () => {
  it('is in the feed of its owner, once for each state', async () => {
    const { anchorId, owner } = await anchored()
    for (const state of ['published', 'published', 'confirmed', 'confirmed', 'published'] as const) {
      await report(await publicationOf(anchorId, { state }))
    }
    expect(await told(owner)).toEqual([`anchor.published ${anchorId}`, `anchor.confirmed ${anchorId}`])
  })

  it('is told by the cron trigger if the identity could not be reached', async () => {
    const { anchorId, owner } = await anchored()
    const taken = await reportTo(sendWith({ IDENTITIES: cutOff }), await publicationOf(anchorId))
    expect(taken).toMatchObject({ status: 200 })
    expect(await told(owner)).toEqual([])
    await sweepPublications(env, Date.now())
    expect(await told(owner)).toEqual([`anchor.published ${anchorId}`])
    expect(await sweepPublications(env, Date.now())).toBe(0)
  })

  it('is told although the owner of another one cannot be reached', async () => {
    const both = [await anchored(), await anchored()].toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    for (const { anchorId } of both) {
      const taken = await reportTo(sendWith({ IDENTITIES: cutOff }), await publicationOf(anchorId))
      expect(taken).toMatchObject({ status: 200 })
    }
    const [first, second] = both
    const getByName = (did: string) => (did === first?.owner ? cutOff.getByName() : identityOf(did))
    const partly = { ...env, IDENTITIES: { getByName } } as unknown as Env
    await expect(sweepPublications(partly, Date.now())).rejects.toThrow('identity')
    expect(await told(second?.owner ?? '')).toEqual([`anchor.published ${second?.anchorId}`])
    expect(await told(first?.owner ?? '')).toEqual([])
    expect(await sweepPublications(env, Date.now())).toBe(1)
    expect(await told(first?.owner ?? '')).toEqual([`anchor.published ${first?.anchorId}`])
  })

  it('makes twenty reports at once one event', async () => {
    const { anchorId, owner } = await anchored()
    await Promise.all(Array.from({ length: 20 }, async () => report(await publicationOf(anchorId))))
    expect(await told(owner)).toEqual([`anchor.published ${anchorId}`])
  })
})
