import { createService } from '@svc/service'
import { checkoutRoutes } from './checkout/routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { entitlementRoutes } from './entitlements/routes.ts'
import { intentRoutes } from './intents/routes.ts'
import { offerRoutes } from './offers/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { webhookRoutes } from './payments/routes.ts'
import { internalRoutes } from './quota/internal-routes.ts'
import { quotaRoutes } from './quota/routes.ts'
import { INTERNAL_DESCRIPTION, PAY_DESCRIPTION } from './service.ts'
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
export const { app } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
