import type { Calls } from './given.ts'

export const pay = {
  async listOffers({ client }) {
    const { offers, region } = await client.pay.offers('DE')
  },

  async readOffer({ client }) {
    const { price } = await client.pay.offer('provenance-month', 'DE')
  },

  async createIntent({ client }) {
    const { id, checkoutUrl } = await client.pay.intent('provenance-month', { country: 'DE', key: 'first' })
  },

  async readIntent({ client }) {
    const { id } = await client.pay.intent('provenance-month')
    const { state } = await client.pay.readIntent(id)
  },

  async cancelIntent({ client }) {
    const { id } = await client.pay.intent('provenance-month')
    const { state } = await client.pay.cancel(id)
  },

  async readEntitlement({ client }) {
    const { tier, grants } = await client.entitlement.current()
  },

  async redeemEntitlement({ client, code }) {
    const { tier } = await client.entitlement.redeem(code)
  },

  async setRenewal({ subscriber }) {
    const [subscription] = (await subscriber.client.entitlement.current()).grants
    if (subscription) await subscriber.client.entitlement.setRenewal(subscription.id, false)
  },

  async changePlan({ subscriber }) {
    const [subscription] = (await subscriber.client.entitlement.current()).grants
    if (subscription) await subscriber.client.entitlement.changePlan(subscription.id, 'provenance-month')
  },

  async readQuota({ client }) {
    const meters = await client.quota.meters()
  },

  async consumeQuota({ client }) {
    const { statement } = await client.quota.consume('search', { amount: 2, key: 'first' })
  },

  async refundQuota({ client }) {
    await client.quota.consume('search', { amount: 2, key: 'first' })
    const { statement } = await client.quota.refund('first')
  },

  async adjustQuota({ client }) {
    await client.quota.consume('search', { amount: 2, key: 'first' })
    const { statement } = await client.quota.reduce('search', 'first', 1)
  },
} satisfies Calls
