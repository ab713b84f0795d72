import { consentBucketOf } from '@svc/client/functions'
import { readAct, sendOperatorAct, settleAct } from '@svc/operations/operator-act'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { consentSignedBytes } from '@svc/protocol/consent/consent'
import { aiConsentSchema, tdmRepSchema } from '@svc/protocol/consent/discovery'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { disputePageSchema } from '@svc/protocol/operator/reads'
import { signerOf } from './signer.ts'
import { clientOf, named, type Show, type World } from './world.ts'

/** Consent: declaring, changing, reading, verifying and revoking it, and what is refused. */
export async function consent(world: World, show: Show): Promise<void> {
  const hash = `walk-through/${crypto.randomUUID()} of one picture`
  await declaring(world, hash, show)
  await looking(world, hash, show)
  await attacks(world, hash, show)
  await revoking(world, hash, show)
  await disputes(world, show)
}

async function declaring({ alice, bob }: World, hash: string, show: Show): Promise<void> {
  await show('anyone: finds no declaration yet', 'not found, by default', async () => {
    const { found, source } = await bob.client.consent.read(hash)
    return `${found ? 'found' : 'not found'}, by ${source}`
  })
  await show('alice: disallows training on her picture', 'disallow, version 1', async () => {
    const { preferences, version } = await alice.client.consent.publish(hash, { ai_training: 'disallow' })
    return `${preferences.ai_training}, version ${version}`
  })
  await show('alice: allows search, and changes nothing else', 'train-ai=n, search=y', async () => {
    return (await alice.client.consent.update(hash, { search: 'allow' })).projections.content_usage ?? ''
  })
}

async function looking(world: World, hash: string, show: Show): Promise<void> {
  const anyone = clientOf(world).consent
  const url = `${world.urls['consent']}/api/v1/consent/${encodeURIComponent(hash)}`
  await show('anyone: reads it and verifies its signature', world.alice.identity.did, async () => {
    const record = await anyone.read(hash)
    return record.found ? (record.creator_did ?? 'nobody') : 'not found'
  })
  await show('anyone: reads the header for crawlers', 'train-ai=n, search=y', async () => {
    return (await fetch(url)).headers.get('x-svc-consent') ?? 'none'
  })
  await show('anyone: revalidates a cached copy', '304', async () => {
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    return String((await fetch(url, { headers: { 'if-none-match': etag } })).status)
  })
  await show('anyone: queries three at once', 'declared, default, declared', async () => {
    const answers = await anyone.readMany([hash, `${hash}?`, hash])
    return answers.map(({ source }) => source).join(', ')
  })
  await show('anyone: verifies its history offline', 'create, update; all proved', async () => {
    const history = await anyone.history(hash)
    const acts = history?.acts.map(({ action }) => action).join(', ')
    return `${acts}; ${history?.unproved.length === 0 ? 'all proved' : 'not proved'}`
  })
  await show('anyone: fetches a signed snapshot and looks up locally', 'default', async () => {
    const nobodys = `${hash} that nobody has`
    return (await anyone.snapshot({ buckets: [consentBucketOf(nobodys)] })).lookUp(nobodys).source
  })
  await show('anyone: reads the site rules', '1, opt-out', async () => {
    const read = async (name: string): Promise<unknown> =>
      (await fetch(`${world.urls['consent']}/.well-known/${name}`)).json()
    const [rule] = tdmRepSchema.parse(await read('tdmrep.json'))
    const { default: policy } = aiConsentSchema.parse(await read('ai-consent'))
    return `${rule?.['tdm-reservation']}, ${policy.policy}`
  })
}

async function attacks({ alice, bob, urls }: World, hash: string, show: Show): Promise<void> {
  await show('must fail: bob declares consent for alice’s picture', '409 consent_held', async () =>
    bob.client.consent.publish(hash, { ai_training: 'allow' }).then(() => 'published', named),
  )
  await show('must fail: bob changes alice’s declaration', '403 invalid_signature', async () =>
    bob.client.consent.update(hash, { ai_training: 'allow' }).then(() => 'changed', named),
  )
  await show('must fail: a write without a signature', '401', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    return String((await fetch(`${urls['consent']}/api/v1/consent`, init)).status)
  })
  await show('must fail: a replay of alice’s earlier declaration', '200 then 409', async () => {
    const preferences = { search: 'disallow' } as const
    const message = { content_hash: hash, preferences, creator_did: alice.identity.did }
    const signature = encodeBase64url(await signerOf(alice.identity)(consentSignedBytes(message)))
    const send = async () => {
      const body = JSON.stringify({ public_key_b64u: alice.identity.publicKeyB64u, preferences })
      const headers = { 'content-type': 'application/json', 'x-svc-signature': signature }
      const url = `${urls['consent']}/api/v1/consent/${encodeURIComponent(hash)}`
      return (await fetch(url, { method: 'PUT', headers, body })).status
    }
    const first = await send()
    await alice.client.consent.update(hash, { search: 'allow' })
    return `${first} then ${await send()}`
  })
}

async function revoking({ alice, bob }: World, hash: string, show: Show): Promise<void> {
  await show('alice: revokes it, and readers get the default', 'not found', async () => {
    await alice.client.consent.revoke(hash)
    return (await bob.client.consent.read(hash)).found ? 'found' : 'not found'
  })
  await show('anyone: can still prove the earlier declaration', 'disallow', async () => {
    const history = await bob.client.consent.history(hash)
    const before = history?.acts.at(-2)?.recorded_at ?? 0
    return history?.declaredAt(before)?.ai_training ?? 'nothing'
  })
}

/** Somebody declares for a picture that isn't his, and the operator settles it. */
async function disputes(world: World, show: Show): Promise<void> {
  const { alice, bob, consent: service, core, secrets } = world
  const hash = `walk-through/${crypto.randomUUID()} of another picture`
  await bob.client.consent.publish(hash, { ai_training: 'allow' })
  await show('must fail: alice declares for her picture, which bob holds', '409 consent_held', async () =>
    alice.client.consent.publish(hash, { ai_training: 'disallow' }).then(() => 'published', named),
  )
  await show('anyone: reads who else claims it', 'alice, disallow; bob holds it', async () => {
    const history = await clientOf(world).consent.history(hash)
    const [claim] = history?.claims ?? []
    const claimant = claim?.creator_did === alice.identity.did && claim.isProved ? 'alice' : 'nobody'
    const holder = history?.creatorDid === bob.identity.did ? 'bob' : 'nobody'
    return `${claimant}, ${claim?.preferences.ai_training}; ${holder} holds it`
  })
  await show('operator: finds the dispute', 'alice and bob', async () => {
    const read = readAct(['disputes', 'list'])
    if (!read) return 'no read'
    const answer = await sendOperatorAct({ service, realm: core }, secrets.operatorSeed, read)
    const { data } = envelopeOf(disputePageSchema).parse(await answer.json())
    const dispute = data.disputes.find(({ contentHash }) => contentHash === hash)
    const claimant = dispute?.claims[0]?.creatorDid === alice.identity.did ? 'alice' : 'nobody'
    return `${claimant} and ${dispute?.holderDid === bob.identity.did ? 'bob' : 'nobody'}`
  })
  await show('operator: passes the identifier to alice', '200', async () => {
    const act = settleAct([hash, alice.identity.did, 'authorship'])
    if (!act) return 'no act'
    return String((await sendOperatorAct({ service, realm: core }, secrets.operatorSeed, act)).status)
  })
  await show('anyone: reads what alice declares', 'disallow', async () => {
    await alice.client.consent.publish(hash, { ai_training: 'disallow' })
    const record = await clientOf(world).consent.read(hash)
    return record.found && record.creator_did === alice.identity.did
      ? (record.preferences.ai_training ?? 'nothing')
      : 'of another'
  })
  await show('anyone: verifies the settlement in the history', 'create, settle, create; bob before', async () => {
    const history = await clientOf(world).consent.history(hash)
    const acts = history?.acts.map(({ action }) => action).join(', ')
    const isBobs = history?.acts.some((act) => act.action === 'settle' && act.previous_creator_did === bob.identity.did)
    return `${acts}; ${isBobs ? 'bob' : 'nobody'} before`
  })
}
