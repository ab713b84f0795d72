import { app } from './app.ts'

export { NonceGuard } from '@svc/assertion/worker'

export default app
