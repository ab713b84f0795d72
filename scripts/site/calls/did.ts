import { subjectHashOf } from '@svc/client/functions'
import type { Calls } from './given.ts'

export const did = {
  async registerDid({ client }) {
    const services = [{ id: '#home', type: 'LinkedDomains', serviceEndpoint: 'https://me.example/' }]
    await client.did.register({ services })
  },

  async resolveDid({ client, registered }) {
    const { didDocument } = await client.did.resolve(registered)
  },

  async requestRotation({ client, identity }) {
    const successor = await identity.successor()
    const { rotationId } = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 1 }))
  },

  async readRotation({ client, identity }) {
    const successor = await identity.successor()
    await client.rotation.request(await client.rotation.makeRequest(successor, { version: 1 }))
    const { status } = await client.rotation.newest()
  },

  async noteActivation({ rotated }) {
    await rotated.client.rotation.noteActivation(rotated.rotationId)
  },

  async readOfficers({ client, org }) {
    const { officers, quorum } = await client.membership.officers(org.identity.did)
  },

  async verifyMember({ client, org, identity }) {
    const { ok: isBound } = await client.membership.safeVerify(org.identity.did, identity.did)
  },

  async listOwnBindings({ client }) {
    const { bindings } = await client.membership.bindings()
  },

  async listMembers({ org }) {
    const { members } = await org.client.members.list()
  },

  async listMemberships({ org }) {
    const { memberships } = await org.client.members.memberships()
  },

  async listOrgEvents({ org, officer }) {
    const { members } = await officer.client.members.verify(org.identity.did)
  },

  async bindMember({ org, identity, client }) {
    const [orgDid, provider] = [org.identity.did, 'login.example.com']
    const subjectHash = subjectHashOf('a7'.repeat(32), { orgDid, provider, subject: 'me@example.com' })
    const acceptance = await client.membership.accept({ orgDid, provider, subjectHash })
    await org.client.members.bind({ memberDid: identity.did, provider, subjectHash, role: 'member', acceptance })
  },

  async revokeMember({ org, identity }) {
    const [orgDid, provider] = [org.identity.did, 'login.example.com']
    const subjectHash = subjectHashOf('a7'.repeat(32), { orgDid, provider, subject: 'me@example.com' })
    await org.client.members.bind({ memberDid: identity.did, provider, subjectHash, role: 'member' })
    await org.client.members.revoke(identity.did)
  },
} satisfies Calls
