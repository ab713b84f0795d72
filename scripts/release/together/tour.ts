/**
 * A short use of everything that one Worker asks of another, or of an object that another Worker uses too.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Device, Identity, ServiceError } from '@svc/client'
import { makeKeyPackage, makePrekeys, mlDsa65, subjectHashOf } from '@svc/client/functions'
import { licenceAct, newCode, sendOperatorAct } from '@svc/operations/operator-act'
import { syntheticRound } from '@svc/operations/synthetic-identity'
import type { Platform } from '@svc/platform'

const ORIGIN = 'http://localhost:3000'

interface Person {
  readonly identity: Identity
  readonly client: Client
}

/** Returns the steps, each with its fault or null. */
export async function tour({ urls, secrets }: Pick<Platform, 'urls' | 'secrets'>): Promise<Map<string, string | null>> {
  const steps = new Map<string, string | null>()
  const step = async <T>(name: string, act: () => Promise<T>): Promise<T | null> => {
    try {
      const came = await act()
      steps.set(name, null)
      return came
    } catch (error) {
      const said = error instanceof ServiceError ? `${error.status} ${error.error}` : String(error)
      steps.set(name, said)
      return null
    }
  }
  const operator = async (act: NonNullable<ReturnType<typeof licenceAct>>) => {
    const answer = await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act)
    if (!answer.ok) throw new Error(`the operator's act is answered ${answer.status}`)
  }
  await step('chain, notes, key scope, nonces, standing, consent, capsules, DID', () =>
    syntheticRound({ urls, realm: urls.core, origin: ORIGIN }),
  )
  const people = await step('four identities', async () => Promise.all([1, 2, 3, 4].map(() => personAt(urls))))
  const [alice, bob, org, officer] = people ?? []
  if (!alice || !bob || !org || !officer) return steps

  await step('core: an anchor enters its log', async () => {
    const { hash } = await alice.client.chain.append({})
    const { anchorId } = await alice.client.anchors.submit({ root: hash, epoch: 'tour' })
    for (let tries = 0; ; tries += 1) {
      const bundle = await alice.client.anchors.bundle(anchorId).catch((error: unknown) => {
        if (tries < 60) return null
        throw error
      })
      if (bundle) return
      await sleep(500)
    }
  })
  await step('keys: a device publishes prekeys, and another identity reserves one', async () => {
    const { identity, client } = alice
    const keys = await Device.create({ origin: 'app:tour', capabilities: ['prekeys:write'] })
    const time = { realm: client.realm, now: Date.now() }
    const attestation = await client.devices.attest(await keys.acceptance(identity.did, time))
    const device = await keys.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
    const { upload } = await makePrekeys(device, time, { count: 2 })
    await client.keyDirectory.publish(await makeKeyPackage(device, time), { prekeys: [upload], version: 1 })
    await bob.client.keyDirectory.reserve(identity.did, device.deviceId, { key: 'tour' })
    const { reservations } = await client.keyDirectory.pool(device.deviceId)
    if (reservations[0]?.requesterDid !== bob.identity.did) throw new Error('the reservation is missing')
  })
  await step('pay: core redeems a code, and quota is consumed', async () => {
    const { code, act } = newCode('provenance', 30)
    await operator(act)
    const { tier } = await alice.client.account.redeem(code, alice.identity.did)
    if (tier !== 'provenance') throw new Error(`the tier is ${tier}`)
    await alice.client.quota.consume('search', { amount: 1, key: 'tour' })
  })
  await step('did: an organization with a plan binds a member', async () => {
    const { organization, devices, members } = org.client
    const statement = await organization.makeInception([officer.identity.did], 1, await devices.head())
    await organization.incept(statement, [await officer.client.organization.accept(statement)])
    const plan = licenceAct(['grant-plan', org.identity.did, 'provenance', '30'], Date.now())
    if (!plan) throw new Error('no act')
    await operator(plan)
    const [orgDid, provider, memberDid] = [org.identity.did, 'login.example.com', bob.identity.did]
    const subjectHash = subjectHashOf('a7'.repeat(32), { orgDid, provider, subject: 'me@example.com' })
    const acceptance = await bob.client.membership.accept({ orgDid, provider, subjectHash })
    await members.bind({ memberDid, provider, subjectHash, role: 'member', acceptance })
    if (!(await alice.client.membership.safeVerify(orgDid, memberDid)).ok) throw new Error('the member is not bound')
    await officer.client.members.verify(orgDid)
    await members.revoke(memberDid)
  })
  await step('core: owners read their events', async () => {
    await alice.client.events.read()
  })
  await step('provenance: a signature of a stranger is verified once', async () => {
    const message = crypto.getRandomValues(new Uint8Array(32))
    const signature = await mlDsa65.sign(bob.identity.revealSeeds().signing, message)
    const signed = {
      publicKeyB64u: bob.identity.publicKeyB64u,
      messageB64u: Buffer.from(message).toString('base64url'),
      signatureB64u: Buffer.from(signature).toString('base64url'),
    }
    await bob.client.provenance.verify(signed)
    const { valid } = await bob.client.provenance.verifyBatch([signed])
    if (valid !== 1) throw new Error(`${valid} of 1 is valid`)
  })
  return steps
}

async function personAt(urls: Platform['urls']): Promise<Person> {
  const identity = await Identity.create()
  const { core, did, pay, keys, provenance, consent } = urls
  const { discovery } = await Client.connect({ core })
  const places = { core, did, pay, keys, provenance, consent, origin: ORIGIN }
  const client = new Client({ ...places, identity, ...(discovery && { discovery }) })
  await client.chain.genesis()
  return { identity, client }
}
