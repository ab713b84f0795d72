/** What `acts.ts` loads of the SDK, and no more. */
export { SignIn } from '@svc/client/sign-in'
