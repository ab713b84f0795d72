export const words = {
  other: 'Something went wrong. Try again.',
  promptClosed: 'The prompt was closed, or no passkey was chosen. Try again.',
  passkeyThere: 'This device has a passkey for this account already.',
  notLoaded: 'This part of the console could not be loaded: there is a new version, or no connection. Reload the page.',
  storageBlocked:
    'This browser does not let this page keep anything, so the keys of an identity would be lost. Allow storage for this page, and try again.',
  notAPicture: 'This file cannot be read as a picture: this browser does not know the format, or the file is damaged.',
  /** What was caught: nothing of it was used. */
  caught: {
    verification:
      'The answer of the service does not verify, so nothing of it was used. Try again. If it stays so, it is damaged or forged: compare with another device, and tell the operator.',
    fork: 'The service shows another history than it showed this browser before. One of the two is forged. Change nothing now, compare with another device, and tell the operator.',
    rollback:
      'The service shows an older state than it showed this browser before. Newer entries may be hidden from you. Change nothing now, compare with another device, and tell the operator.',
    unproved:
      'The service shows changes that nobody entitled has signed, so they were not accepted. Somebody may be trying to take over. Change nothing now, compare with another device, and tell the operator.',
    discovery:
      'The services use keys or addresses that they had not announced. They may be somebody else’s. Enter nothing here, and ask the operator over another channel.',
    signature:
      'The signer answered with a signature of another key, so nothing was sent. Do not use it again until you know why.',
  },
  notSigned: 'The key did not sign, so nothing was sent. Try again.',
  staleMirror: 'The service does not answer, and the copy at a mirror is too old to rely on. Try again later.',
  invitationWhole:
    'Enter the whole text that the other device shows: ten groups of four characters, or an address that ends with them.',
  invitationCharacter: (group: number) =>
    `Group ${group} has a character that is never used. Compare it with the other device.`,
  invitationTyping: 'There is a typing error. Compare group by group with the other device.',
  recoveryWords: 'These are not the words of a recovery sheet. Compare each one with the sheet.',
  recoveryWord: (position: number) => `Word ${position} is not on the list. Compare it with the sheet.`,
  keysMalformed: 'This is not a file of keys, or it is damaged. Use another copy.',
  keysMismatch: 'The keys in this file do not belong together, so none was used. Use another copy.',
  cannotEncrypt: 'This passkey or browser cannot encrypt keys. Use a passphrase.',
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
