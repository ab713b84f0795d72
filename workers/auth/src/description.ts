import { type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import { AUTH_VERSION } from './version.ts'

export const AUTH_DESCRIPTION: ServiceDescription = {
  service: 'auth',
  version: AUTH_VERSION,
  title: 'Human sign-in service',
  summary: 'Sign-in only: it issues no credential that protocol endpoints accept.',
  shape: SIBLING_SHAPE,
  origins: () => 'checked',
  // A sign-in page on this host calls back from its own Origin.
  pages: 'all',
  hidesMethods: true,
}
