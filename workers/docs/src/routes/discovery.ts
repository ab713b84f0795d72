import { livenessRoute } from '@svc/service'
import { DOCS_VERSION } from '../version.ts'

export const discoveryRoutes = [livenessRoute('docs', DOCS_VERSION)]
