import { createService, takedownRoute } from '@svc/service'
import { anchorRoutes } from './anchor-status/routes.ts'
import { capabilityRoutes, readCapabilities } from './capabilities/routes.ts'
import { capsuleRoutes } from './capsules/routes.ts'
import { commitmentRoutes } from './commitments/routes.ts'
import { internalRoutes } from './consent-authority/routes.ts'
import { keypointRoutes } from './files/keypoint-routes.ts'
import { fileRoutes } from './files/routes.ts'
import { discoveryRoutes } from './health/routes.ts'
import { operatorRoutes } from './operator/routes.ts'
import { PAGES, pageRoutes } from './pages/routes.ts'
import { provenanceRoutes } from './proof/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { INTERNAL_DESCRIPTION, PROVENANCE_DESCRIPTION } from './service.ts'
import { createRuntime } from './services.ts'
import { textRoutes } from './text/routes.ts'
import { verificationRoutes } from './verification/routes.ts'

const routes = [
  ...discoveryRoutes,
  ...anchorRoutes,
  ...verificationRoutes,
  ...textRoutes,
  ...searchRoutes,
  ...keypointRoutes,
  ...fileRoutes,
  ...operatorRoutes,
  takedownRoute(),
  ...capsuleRoutes,
  ...commitmentRoutes,
  ...provenanceRoutes,
]
/** Every route of this host, for those that list them. */
const operations = [...routes.map(({ operation }) => operation), readCapabilities, ...PAGES]

export const service = createService(PROVENANCE_DESCRIPTION, createRuntime, [
  ...routes,
  ...capabilityRoutes(operations),
  ...pageRoutes(operations),
])
export const { app } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
