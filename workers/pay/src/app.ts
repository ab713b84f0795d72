import { createService } from '@svc/service'
import { INTERNAL_DESCRIPTION, PAY_DESCRIPTION } from './description.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { entitlementRoutes } from './routes/entitlements.ts'
import { intentRoutes } from './routes/intents.ts'
import { internalRoutes } from './routes/internal.ts'
import { offerRoutes } from './routes/offers.ts'
import { operatorRoutes } from './routes/operator.ts'
import { quotaRoutes } from './routes/quota.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { createRuntime } from './services.ts'

export const service = createService(PAY_DESCRIPTION, createRuntime, [
  ...discoveryRoutes,
  ...offerRoutes,
  ...intentRoutes,
  ...checkoutRoutes,
  ...webhookRoutes,
  ...entitlementRoutes,
  ...quotaRoutes,
  ...operatorRoutes,
])
export const { app, document } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
