import { ownScript } from '../shell/scripts.ts'

/** Registers the worker that keeps what lies below `scope`. */
export function registerWorker(scope: string): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(ownScript(`${scope}offline.js`), { scope })
}
