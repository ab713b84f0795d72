import { consentBucketOf } from '@svc/client/functions'
import type { Calls } from './given.ts'

export const consent = {
  async readConsentSnapshot({ client }) {
    const snapshot = await client.consent.snapshot({ buckets: [consentBucketOf('my-pictures/lighthouse')] })
    const { found, source } = snapshot.lookUp('my-pictures/lighthouse')
  },

  async listConsentByCreator({ client, identity }) {
    for await (const record of client.consent.byCreator(identity.did)) console.log(record.hash)
  },

  async readConsent({ client }) {
    const hash = `my-pictures/${crypto.randomUUID()}`
    await client.consent.publish(hash, { ai_training: 'disallow' })
    const record = await client.consent.read(hash)
  },

  async updateConsent({ client }) {
    const hash = `my-pictures/${crypto.randomUUID()}`
    await client.consent.publish(hash, { ai_training: 'disallow' })
    const { version } = await client.consent.update(hash, { search: 'allow' })
  },

  async deleteConsent({ client }) {
    const hash = `my-pictures/${crypto.randomUUID()}`
    await client.consent.publish(hash, { ai_training: 'disallow' })
    await client.consent.revoke(hash)
  },

  async readConsentHistory({ client }) {
    const hash = `my-pictures/${crypto.randomUUID()}`
    await client.consent.publish(hash, { ai_training: 'disallow' })
    const history = await client.consent.history(hash)
    for (const { action, recorded_at: at } of history?.acts ?? []) console.log(action, new Date(at))
  },

  async readConsentBatch({ client }) {
    const answers = await client.consent.readMany(['my-pictures/lighthouse', 'my-pictures/harbour'])
  },

  async checkOptOut({ client }) {
    const { opt_out: isOptedOut } = await client.consent.optOut('my-pictures/lighthouse')
  },

  async createConsent({ client }) {
    const hash = `my-pictures/${crypto.randomUUID()}`
    const { version } = await client.consent.publish(hash, { ai_training: 'disallow' })
  },
} satisfies Calls
