import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { anchorLeafOf } from '@svc/protocol/ledger/anchor-log'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { verifyStateProof } from '@svc/protocol/ledger/anchors'
import { dayOf, verifyWithheld, withheldOfLine } from '@svc/protocol/ledger/withheld'
import { REALM, REALMS, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { BodyBundles } from '../../src/anchors/body-bundles.ts'
import { AnchorIndex } from '../../src/anchors/index-store.ts'
import { EventStore } from '../../src/events/store.ts'
import { publicationKey } from '../../src/object-keys.ts'
import { anonymous, CORE, freshCaller, sendWith } from '../harness.ts'
import {
  fill,
  freshRoot,
  LOG,
  OPERATOR_SEED,
  publicationOf,
  reader,
  rebuildIndex,
  report,
  sizeOf,
  submission,
  submit,
} from './anchors.fixture.ts'

const OF_LOG = `log=${encodeURIComponent(LOG)}`

async function actOn(leaf: string, members: object = {}) {
  const issuedAt = Date.now()
  const statement = {
    type: 'svc/withheld/v1' as const,
    realm: REALM,
    service: 'core' as const,
    nonce: crypto.randomUUID(),
    leaf,
    ground: 'privacy' as const,
    day: dayOf(issuedAt),
    issuedAt,
    ...members,
  }
  return signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
}
const send = (signed: unknown) => anonymous('POST', '/api/operator/acts', signed)
const withhold = async (leaf: string, members: object = {}) => send(await actOn(leaf, members))
const get = (path: string) => anonymous('GET', `/api/anchors${path}`)

async function owned(): Promise<{ caller: TestCaller; record: AnchorRecord; leaf: string }> {
  const caller = await freshCaller()
  const record = await caller.client.anchors.submit({ root: freshRoot(), epoch: 'my-name' })
  return { caller, record, leaf: anchorLeafOf(record) }
}

/** The events of the owner about withholdings. */
const told = ({ identity }: TestCaller) =>
  runInDurableObject(env.IDENTITIES.getByName(identity.did), ({ stored }) =>
    new EventStore(stored)
      .after(0, 100)
      .filter(({ kind }) => kind === 'anchor.withheld')
      .map(({ kind, ref }) => `${kind} ${ref}`),
  )

const lines = async () => {
  const { body } = await anonymous(
    'GET',
    `/api/anchors/feed/entries/${Math.floor(((await sizeOf()) - 1) / 256)}?${OF_LOG}`,
  )
  return body['entries'] as string[]
}

/** Every byte that R2 and D1 have, as text. */
async function everything(): Promise<string> {
  const texts: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await env.BLOBS.list(cursor === undefined ? {} : { cursor })
    for (const { key } of page.objects) texts.push(key, (await (await env.BLOBS.get(key))?.text()) ?? '')
    if (!page.truncated) break
    cursor = page.cursor
  }
  const rows = await env.DB.prepare('SELECT hex(root) AS root, epoch, hex(owner) AS owner FROM anchors').all()
  return [...texts, JSON.stringify(rows.results)].join('\n')
}

describe('an anchor that the operator withholds', () => {
  it('is gone from every place but for its leaf, and everybody is told why', async () => {
    const { caller, record, leaf } = await owned()
    const { anchorId, root, position } = record
    const before = await reader().stateProof(4)
    expect(await withhold(leaf)).toMatchObject({ status: 200 })
    const act = withheldOfLine((await lines()).at(-1) ?? '')
    expect(act?.statement).toMatchObject({ leaf, ground: 'privacy', day: dayOf(Date.now()) })
    const key = encodeBase64url(await mlDsa65.publicKeyOf(OPERATOR_SEED))
    expect(await verifyWithheld(act!, [key], REALMS)).toBe(true)
    const notice = {
      leaf,
      ground: 'privacy',
      day: dayOf(Date.now()),
      position: { log: LOG, index: (await sizeOf()) - 1 },
    }
    for (const path of [`/${anchorId}`, `/${anchorId}/bundle`, `/${anchorId}/publications`])
      expect(await get(path)).toMatchObject({ status: 410, body: { error: 'withheld', details: notice } })
    expect(await submit(caller, await submission(caller, { root, epoch: 'my-name' }))).toMatchObject({
      status: 410,
      body: { error: 'withheld' },
    })
    const { items } = await reader().page({ limit: 500 })
    expect(items.map((item) => item.anchorId)).not.toContain(anchorId)
    expect((await reader().page({ root })).items).toEqual([])
    expect((await reader().page({ owner: record.owner })).items).toEqual([])
    const proof = await reader().stateProof(4)
    expect([proof.leaves, proof.root]).toEqual([before.leaves, before.root])
    expect(proof.withheld).toEqual([notice])
    expect(proof.anchors).toHaveLength(before.anchors.length - 1)
    expect(verifyStateProof({ ...proof, withheld: [] })).toBe(false)
    const { body } = await anonymous('GET', `/api/anchors/feed/bodies/${position!.index}?${OF_LOG}`)
    expect(body['withheld']).toEqual([position!.index])
    const text = await everything()
    for (const part of [root, record.salt, record.owner, record.attestations[0]!.signatureB64u, root.toUpperCase()])
      expect(text).not.toContain(part)
    expect(await told(caller)).toEqual([`anchor.withheld ${anchorId}`])
    expect((await caller.client.anchors.eligibility()).lastAnchor).toBeNull()
  })

  it('is withheld once, however many acts name it at the same time', async () => {
    const { caller, record, leaf } = await owned()
    const size = await sizeOf()
    const acts = await Promise.all(Array.from({ length: 20 }, () => actOn(leaf)))
    const answers = await Promise.all(acts.map((signed, i) => anonymousFrom(i, signed)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(await sizeOf()).toBe(size + 1)
    expect(await get(`/${record.anchorId}`)).toMatchObject({ status: 410 })
    expect(await told(caller)).toEqual([`anchor.withheld ${record.anchorId}`])
  })

  it('goes on after a crash at any step', async () => {
    const { record, leaf } = await owned()
    const size = await sizeOf()
    const signed = await actOn(leaf)
    for (let calls = 0, isDone = false; !isDone; calls++) {
      let made = 0
      const bucket = new Proxy(env.BLOBS, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          return (...args: unknown[]) => {
            if (['put', 'delete'].includes(String(name)) && made++ >= calls) throw new Error('canary: killed here')
            return Reflect.apply(member, target, args) as unknown
          }
        },
      })
      const answer = await sendWith({ BLOBS: bucket })(
        new Request(`${CORE}/api/operator/acts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'cf-connecting-ip': `2001:db8:77:${calls}::1` },
          body: JSON.stringify(signed),
        }),
      )
      isDone = answer.status === 200
      expect([200, 503]).toContain(answer.status)
      if (calls > 12) throw new Error('it never ends')
    }
    expect(await sizeOf()).toBe(size + 1)
    expect(await get(`/${record.anchorId}`)).toMatchObject({ status: 410 })
    expect(await everything()).not.toContain(record.root)
  })

  it('is not named by the reports about it, which stay', async () => {
    const { record, leaf } = await owned()
    const signed = await publicationOf(record.anchorId, { issuedAt: Date.now() - 1_000 })
    await report(signed)
    await withhold(leaf)
    const key = publicationKey(signed.statement.nonce)
    const kept = (await (await env.BLOBS.get(key))?.text()) ?? expect.unreachable(key)
    expect(JSON.parse(kept)).toEqual(signed)
    for (const secret of [record.anchorId, record.root, record.owner, record.salt]) expect(kept).not.toContain(secret)
    expect(await report(await publicationOf(record.anchorId))).toMatchObject({ status: 404 })
  })

  it('stays away when the index is rebuilt, and when its owner’s object delivers it once more', async () => {
    const { caller, record, leaf } = await owned()
    await report(await publicationOf(record.anchorId))
    await withhold(leaf)
    const read = async () => {
      const { leaves, withheld, anchors } = await reader().stateProof(2_048)
      return JSON.stringify([leaves, withheld, anchors, (await reader().page({ limit: 500 })).items])
    }
    const before = await read()
    for (const table of ['anchors', 'anchor_logs', 'anchor_publications', 'withheld_anchors'])
      await env.DB.exec(`DELETE FROM ${table}`)
    expect(await rebuildIndex()).toMatchObject({ status: 200 })
    expect(await read()).toBe(before)
    // As if it was turned back by a restore to before the withholding.
    const object = env.IDENTITIES.getByName(caller.identity.did)
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec(
        'UPDATE anchors SET root = ?, epoch = ?, attestations = ?, salt = ?, log = NULL, idx = NULL, withheld = NULL',
        record.root,
        record.epoch,
        JSON.stringify(record.attestations),
        record.salt,
      )
      storage.sql.exec(
        "INSERT INTO undelivered_anchors (id, item, attempts, due_at) VALUES (?, '', 0, 0)",
        record.anchorId,
      )
    })
    await runDurableObjectAlarm(object)
    const left = await runInDurableObject(object, (_, { storage }) =>
      storage.sql
        .exec('SELECT root, salt, withheld, (SELECT count(*) FROM undelivered_anchors) AS waiting FROM anchors')
        .toArray(),
    )
    expect(left).toEqual([{ root: '', salt: '', withheld: leaf, waiting: 0 }])
    // A delivery that had read the body before it was withheld, and comes late.
    const { log, index } = record.position!
    await new AnchorIndex(env.DB).put(log, [{ ...record, index }])
    expect(await read()).toBe(before)
    expect(await get(`/${record.anchorId}`)).toMatchObject({ status: 410 })
    expect(await everything()).not.toContain(record.root)
  })

  it('is out of its bundle of bodies, whether that is made before, after or meanwhile', async () => {
    const first = await owned()
    await fill(256)
    const bundle = Math.floor(first.record.position!.index / 256)
    const bundles = new BodyBundles(env.BLOBS)
    await bundles.make(LOG, bundle)
    expect(await everything()).toContain(first.record.salt)
    expect((await withhold(first.leaf)).status).toBe(200)
    expect(await everything()).not.toContain(first.record.salt)
    const { body } = await anonymous('GET', `/api/anchors/feed/bodies/${first.record.position!.index}?${OF_LOG}`)
    expect(body['withheld']).toEqual([first.record.position!.index])
    const second = await owned()
    await fill(256)
    const later = Math.floor(second.record.position!.index / 256)
    await Promise.all([bundles.make(LOG, later), withhold(second.leaf)])
    expect(await everything()).not.toContain(second.record.salt)
  })

  it('is refused for a leaf that no anchor has, another day, and another key', async () => {
    const { leaf } = await owned()
    expect(await withhold('ab'.repeat(48))).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await withhold(leaf, { day: '2026-01-01' })).status).toBe(400)
    expect((await withhold(leaf, { ground: 'because' })).status).toBe(400)
    expect((await withhold(leaf, { note: 'free text' })).status).toBe(400)
    const signed = await actOn(leaf)
    const forged = await signStatement(signed.statement, (message) => mlDsa65.sign(new Uint8Array(32).fill(6), message))
    expect((await send(forged)).status).toBe(403)
  })
})

async function anonymousFrom(i: number, signed: unknown) {
  return anonymous('POST', '/api/operator/acts', signed, { 'cf-connecting-ip': `2001:db8:78:${i}::1` })
}
