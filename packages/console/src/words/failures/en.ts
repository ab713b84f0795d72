export const words = {
  other: 'Something went wrong. Try again.',
  promptClosed: 'The prompt was closed, or no passkey was chosen. Try again.',
  passkeyThere: 'This device has a passkey for this account already.',
  unreachable: 'The service cannot be reached. Check your connection, and try again.',
  notOpened: 'The key did not open. Check the passphrase or the passkey.',
  notText: 'This file is not a text in UTF-8. Save it as UTF-8, or choose another file.',
  tooMany: (duration: string) => `Too many attempts. Try again in ${duration}.`,
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  minutes: (count: number) => `${count} minutes`,
  hours: (count: number) => `${count} hours`,
  /** By the service's name for the failure. */
  byError: {
    account_exists: 'There is an account for this person already. Sign in to it, or recover it.',
    budget_exhausted: 'Your plan has no room for more.',
    code_rejected: 'That code is wrong. Check the mail and try again.',
    code_unusable: 'This took too long, or was used already. Start again.',
    cors_denied: 'The service does not accept this page. Ask the operator.',
    dependency_unavailable: 'The service is not available. Try again in a minute.',
    licence_required: 'The organization needs a plan for this. See the plans under Plan and payments.',
    provider_disabled: 'This provider is not set up here. Use another way to continue.',
    quota_exhausted: 'Your plan allows no more of this in this month.',
    sign_in_rejected: 'The sign-in was not accepted. Check what you entered, or use another way to sign in.',
    token_rejected: 'Your session has ended. Sign in again.',
  },
}
export type FailureWords = typeof words
