import { route, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import type { Services } from './services.ts'

export const AUTH_DESCRIPTION: ServiceDescription = {
  service: 'auth',
  version: '0.1.4',
  title: 'Human sign-in service',
  summary:
    'Sign-in for the people of your site, by password, passkey or identity provider. No other service of the platform ' +
    'accepts its sessions.',
  shape: SIBLING_SHAPE,
  origins: () => 'checked',
  hidesMethods: true,
}

/** Binds an operation of this Worker to its handler. */
export const authRoute = route<Services>()
