import type { NonceGuard } from '@svc/assertion/worker'
import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import {
  InternalClient,
  internalGate,
  internalSecretsOf,
  limiterOf,
  OperatorActs,
  OperatorStore,
  type Runtime,
  readConfig,
  SiblingGate,
} from '@svc/service'
import { CheckoutService } from './checkout/checkout-service.ts'
import { EntitlementService } from './entitlements/entitlement-service.ts'
import { EntitlementStore } from './entitlements/entitlement-store.ts'
import { type Config, payConfigSchema } from './env.ts'
import { IntentService } from './intents/intent-service.ts'
import { IntentStore } from './intents/intent-store.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { OfferService } from './offers/offer-service.ts'
import { OfferStore } from './offers/offer-store.ts'
import { OperatorService } from './operator/operator-service.ts'
import { LocalProvider } from './payments/local-provider.ts'
import { PaymentEventStore } from './payments/payment-event-store.ts'
import { PaymentService } from './payments/payment-service.ts'
import { StripeProvider } from './payments/stripe-provider.ts'
import { WebhookService } from './payments/webhook-service.ts'
import { WebhookVerifier } from './payments/webhook-verifier.ts'
import { QuotaService } from './quota/quota-service.ts'

export interface Services {
  readonly config: Config
  readonly offers: OfferService
  readonly intents: IntentService
  readonly checkout: CheckoutService
  readonly webhooks: WebhookService
  readonly entitlements: EntitlementService
  readonly quota: QuotaService
  /** Signs what the service says of meters. */
  readonly receipts: DeploymentSigner
  readonly operator: OperatorService
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(payConfigSchema, env)
  // The class lives in provenance's script, where generated types do not follow it: pay and provenance share an
  // audience, so an assertion that is spent at one is spent at the other.
  const nonces = env.NONCES as unknown as DurableObjectNamespace<NonceGuard>
  const secrets = internalSecretsOf(config)
  const core = new InternalClient(env.CORE, secrets)
  return {
    config,
    limiter: limiterOf('pay', env),
    gate: new SiblingGate(core, new NonceGuardClient(nonces)),
    internal: internalGate(secrets, INTERNAL_ROUTES),
    deps: servicesOf(env, config),
  }
}

function servicesOf(env: Env, config: Config): Services {
  const receipts = new DeploymentSigner(config.QUOTA_RECEIPT_SEED || undefined)
  const quota = new QuotaService(env.QUOTA_METERS, receipts)
  const changed = (did: string) => quota.entitlementChanged(did)
  const grants = new EntitlementStore(env.DB)
  const catalogue = new OfferStore(env.DB)
  const offers = new OfferService(catalogue)
  const intents = new IntentStore(env.DB)
  const events = new PaymentEventStore(env.DB)
  const stripe = stripeOf(config)
  const payments = new PaymentService({ events, intents, grants, offers: catalogue, changed, reader: stripe })
  const verifier = new WebhookVerifier(config.STRIPE_WEBHOOK_SECRET, isLive(config))
  const webhooks = new WebhookService(verifier, payments)
  const local = localProviderOf(config, grants, webhooks)
  const provider = local ?? stripe
  return {
    config,
    offers,
    intents: new IntentService(intents, offers, provider),
    checkout: new CheckoutService(intents, local),
    webhooks,
    entitlements: new EntitlementService(grants, provider, changed),
    quota,
    receipts,
    operator: new OperatorService(new OperatorActs(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB)), grants),
  }
}

/** On a local deployment without Stripe, and nowhere else. */
function localProviderOf(config: Config, grants: EntitlementStore, webhooks: WebhookService): LocalProvider | null {
  if (config.ENVIRONMENT !== 'local' || config.STRIPE_SECRET_KEY || !config.STRIPE_WEBHOOK_SECRET) return null
  const [origin = ''] = config.PUBLIC_ORIGINS
  return new LocalProvider(origin, grants, (payload, now) => webhooks.deliver(payload, now))
}

/** Stripe’s keys say of which mode they are: `sk_live_…`, `rk_live_…`. */
function isLive({ STRIPE_SECRET_KEY = '' }: Config): boolean {
  return /^[a-z]+_(?:[a-z]+_)?live_/.test(STRIPE_SECRET_KEY)
}

/** Nobody pays where nobody would hear of it. */
function stripeOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, CHECKOUT_RETURN_URL }: Config): StripeProvider | null {
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET) return null
  return new StripeProvider({
    secretKey: STRIPE_SECRET_KEY,
    returnUrl: CHECKOUT_RETURN_URL,
    fetch: (url, init) => fetch(url, init),
  })
}
