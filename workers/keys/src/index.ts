import { app } from './app.ts'

export { NonceGuard } from '@svc/assertion/worker'
export { AccountDirectoryObject } from './directory/account-directory-object.ts'
export { TransparencyLogObject } from './transparency/transparency-log-object.ts'

export default app
