import { createService } from '@svc/service'
import { INTERNAL_DESCRIPTION, PROVENANCE_DESCRIPTION } from './description.ts'
import { anchorRoutes } from './routes/anchor-status.ts'
import { capabilityRoutes, readCapabilities } from './routes/capabilities.ts'
import { capsuleRoutes } from './routes/capsules.ts'
import { commitmentRoutes } from './routes/commitments.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { fileRoutes } from './routes/files.ts'
import { internalRoutes } from './routes/internal.ts'
import { operatorRoutes } from './routes/operator.ts'
import { PAGES, pageRoutes } from './routes/pages.ts'
import { provenanceRoutes } from './routes/provenance.ts'
import { searchRoutes } from './routes/search.ts'
import { textRoutes } from './routes/text.ts'
import { verificationRoutes } from './routes/verification.ts'
import { createRuntime } from './services.ts'

const routes = [
  ...discoveryRoutes,
  ...anchorRoutes,
  ...verificationRoutes,
  ...textRoutes,
  ...searchRoutes,
  ...fileRoutes,
  ...operatorRoutes,
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
export const { app, document } = service

export const internalService = createService(INTERNAL_DESCRIPTION, createRuntime, internalRoutes)
