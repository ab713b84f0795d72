import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { ok } from '@svc/protocol/base/result'
import type { PayOperatorAct } from '@svc/protocol/operator/acts'
import type { DeadLetterPage, DeadLetterReadStatement } from '@svc/protocol/operator/dead-letters'
import type { GrantList, GrantReadStatement } from '@svc/protocol/operator/reads'
import {
  backlogIn,
  CounterService,
  InternalClient,
  internalGate,
  internalSecretsOf,
  limiterOf,
  type ObjectCommits,
  ObjectRebuild,
  OperatorActs,
  OperatorStore,
  objectCommitsOf,
  objectsIn,
  Queues,
  type Runtime,
  readConfig,
  SiblingGate,
  StaticFiles,
  signerOf,
} from '@svc/service'
import type { Stripe } from 'stripe'
import { CheckoutService } from './checkout/service.ts'
import { DeadLetterDecider } from './dead-letters/decider.ts'
import { DeadLetterService } from './dead-letters/service.ts'
import { DeadLetterStore } from './dead-letters/store.ts'
import { EntitlementService } from './entitlements/service.ts'
import { EntitlementStore } from './entitlements/store.ts'
import { type Config, configSchema } from './env.ts'
import { IntentService } from './intents/service.ts'
import { IntentStore } from './intents/store.ts'
import { OfferService } from './offers/service.ts'
import { OfferStore } from './offers/store.ts'
import { type PayActRefusal, performerOf } from './operator/performer.ts'
import { OwnerEventService } from './owner-events/service.ts'
import { OwnerEventStore } from './owner-events/store.ts'
import { PaymentEventStore } from './payments/event-store.ts'
import { LocalProvider } from './payments/local-provider.ts'
import { LocalReader } from './payments/local-reader.ts'
import { NewsReader } from './payments/news-reader.ts'
import { PaymentService } from './payments/service.ts'
import { stripeClient } from './payments/stripe-client.ts'
import { StripeProvider } from './payments/stripe-provider.ts'
import { StripeReader } from './payments/stripe-reader.ts'
import { WebhookService } from './payments/webhook-service.ts'
import { WebhookVerifier } from './payments/webhook-verifier.ts'
import { QuotaService } from './quota/service.ts'
import { StoredReader } from './quota/stored.ts'
import { Reconciliation } from './reconciliation/service.ts'
import { ReconciliationStore } from './reconciliation/store.ts'

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly queues: Queues
  readonly offers: OfferService
  readonly intents: IntentService
  readonly checkout: CheckoutService
  readonly webhooks: WebhookService
  readonly entitlements: EntitlementService
  readonly quota: QuotaService
  readonly ownerEvents: OwnerEventService
  readonly stored: StoredReader
  /** Signs quota receipts. */
  readonly receipts: DeploymentSigner
  readonly operator: OperatorActs<PayOperatorAct['statement'], PayActRefusal>
  readonly grantReads: OperatorActs<GrantReadStatement, never, Pick<GrantList, 'did' | 'tier' | 'grants'>>
  readonly deadLetterReads: OperatorActs<DeadLetterReadStatement, never, Pick<DeadLetterPage, 'deadLetters' | 'next'>>
  /** Null without a provider that lists its events. */
  readonly reconciliation: Reconciliation | null
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const secrets = internalSecretsOf(config)
  const core = new InternalClient(env.CORE, secrets)
  return {
    config,
    limiter: limiterOf('pay', env),
    gate: new SiblingGate(core),
    internal: internalGate(secrets),
    windows: new CounterService(objectsIn(env, env.COUNTERS)),
    deps: {
      ...servicesOf(env, config, core),
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('pay', env),
      stored: new StoredReader(core),
    },
  }
}

function servicesOf(
  env: Env,
  config: Config,
  core: InternalClient,
): Omit<Services, 'description' | 'objectCommits' | 'stored'> {
  const receipts = signerOf(env, { service: 'pay', use: 'quota-receipt' })
  const quota = new QuotaService(objectsIn(env, env.QUOTA_METERS), receipts)
  const ownerEvents = new OwnerEventService(new OwnerEventStore(env.DB), core)
  const changed = async (did: string) => {
    await Promise.all([quota.entitlementChanged(did), ownerEvents.deliver(Date.now())])
  }
  const grants = new EntitlementStore(env.DB, env.CONTROL_DB)
  const catalogue = new OfferStore(env.DB)
  const offers = new OfferService(catalogue, config.SALES_CONTACT ?? '')
  const intents = new IntentStore(env.DB)
  const events = new PaymentEventStore(env.DB)
  const stripe = stripeOf(config)
  const reader = stripe ? new StripeReader(stripe) : localReaderOf(config, grants)
  const news = new NewsReader({ events, intents, grants, offers: catalogue, reader })
  const letters = new DeadLetterStore(env.DB)
  const deadLetters = new DeadLetterService(letters)
  const payments = new PaymentService({ events, news, grants, deadLetters, changed })
  const verifier = new WebhookVerifier(config.STRIPE_WEBHOOK_SECRET, isLive(config))
  const webhooks = new WebhookService(verifier, payments)
  const local = localProviderOf(config, grants, webhooks)
  const provider = local ?? (stripe && new StripeProvider(stripe, config.CHECKOUT_RETURN_URL))
  const entitlements = new EntitlementService(grants, offers, provider, changed)
  const decider = new DeadLetterDecider(letters, payments, isLive(config))
  const perform = performerOf(
    grants,
    entitlements,
    decider,
    new ObjectRebuild(env, { meters: objectsIn(env, env.QUOTA_METERS) }),
  )
  const acts = new OperatorStore(env.CONTROL_DB)
  const listing = stripe && { store: new ReconciliationStore(env.DB), lister: new StripeReader(stripe) }
  return {
    config,
    queues: queuesOf(env),
    offers,
    intents: new IntentService(intents, offers, grants, provider),
    checkout: new CheckoutService(intents, local),
    webhooks,
    entitlements,
    quota,
    ownerEvents,
    receipts,
    operator: new OperatorActs(config, acts, perform),
    grantReads: new OperatorActs(config, acts, async ({ did }, now) => {
      const { tier, grants: held } = await entitlements.current(did, now)
      return ok({ did, tier, grants: held })
    }),
    deadLetterReads: new OperatorActs(config, acts, async ({ after }) => ok(await letters.page(after))),
    reconciliation: listing && new Reconciliation({ ...listing, payments, deadLetters, expectedLive: isLive(config) }),
  }
}

/** Only on a local deployment without Stripe. */
function isLocal({ ENVIRONMENT, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: Config): boolean {
  return ENVIRONMENT === 'local' && !STRIPE_SECRET_KEY && Boolean(STRIPE_WEBHOOK_SECRET)
}

function localReaderOf(config: Config, grants: EntitlementStore): LocalReader | null {
  return isLocal(config) ? new LocalReader(grants) : null
}

function localProviderOf(config: Config, grants: EntitlementStore, webhooks: WebhookService): LocalProvider | null {
  if (!isLocal(config)) return null
  const [origin = ''] = config.PUBLIC_ORIGINS
  return new LocalProvider(origin, grants, (payload, now) => webhooks.deliver(payload, now))
}

/** Stripe’s keys name their mode: `sk_live_…`, `rk_live_…`. */
function isLive({ STRIPE_SECRET_KEY = '' }: Config): boolean {
  return /^[a-z]+_(?:[a-z]+_)?live_/.test(STRIPE_SECRET_KEY)
}

/** No payments if their events could not be received. */
function stripeOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: Config): Stripe | null {
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET) return null
  return stripeClient({ secretKey: STRIPE_SECRET_KEY, fetch: (url, init) => fetch(url, init) })
}

export function queuesOf({ DB }: Env): Queues {
  return new Queues('pay', {
    'dead letters': backlogIn(
      DB,
      'SELECT count(*) AS depth, min(received_at) AS oldestAt FROM dead_letters WHERE ?1 > 0',
    ),
    'payment events': backlogIn(
      DB,
      'SELECT count(*) AS depth, min(recorded_at) AS oldestAt FROM owner_events WHERE ?1 > 0',
    ),
  })
}
