import { defineFaults } from '../fault.ts'

const inCore = { projects: ['core'], tests: ['test/events/hook'] } as const

/** Core: web hooks of the event feed. */
export const HOOK_FAULTS = defineFaults([
  {
    id: 'hook-ip-address',
    about: 'A hook may be an IP address',
    edits: [
      {
        find: String.raw`if (host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host)) return 'ip_address'`,
        replace: '',
      },
    ],
    projects: ['protocol'],
    tests: ['events/hooks'],
  },
  {
    id: 'hook-own-host',
    about: 'A hook may be a host of the deployment',
    edits: [{ find: 'ownHosts: own.map((url) => new URL(url).hostname)', replace: 'ownHosts: []' }],
    ...inCore,
  },
  {
    id: 'hook-redirect',
    about: 'A delivery follows a redirect',
    edits: [
      {
        find: "redirect: 'manual', headers: { 'content-type': 'application/json', 'user-agent'",
        replace: "redirect: 'follow', headers: { 'content-type': 'application/json', 'user-agent'",
      },
    ],
    ...inCore,
  },
  {
    id: 'hook-redirect-counts',
    about: 'A redirect counts as a success',
    edits: [
      {
        find: 'if (status >= 200 && status <= 299) return null',
        replace: 'if (status >= 200 && status <= 399) return null',
      },
    ],
    ...inCore,
  },
  {
    id: 'hook-unproved',
    about: 'A hook is told of events before its address has proved itself',
    edits: [
      {
        find: "SET due_at = ? WHERE status = 'active' AND due_at IS NULL",
        replace: 'SET due_at = ? WHERE due_at IS NULL',
      },
      { find: "status === 'active' && dueAt !== null", replace: 'dueAt !== null' },
    ],
    ...inCore,
  },
  {
    id: 'hook-echo',
    about: 'An address proves itself by repeating what it was sent',
    edits: [
      {
        find: 'answer.success && answer.data.did === caller.did && equalSecrets',
        replace: 'answer.success && equalSecrets',
      },
    ],
    ...inCore,
  },
  {
    id: 'hook-failure-moves-on',
    about: 'A page that was not taken is not sent again',
    edits: [
      {
        find: 'if (events.hooks.failed(hook, failed, now)) events.add',
        replace: 'events.hooks.delivered(hook, lastOf(reading, hook), null); if (failed.isGone) events.add',
      },
    ],
    ...inCore,
  },
  {
    id: 'hook-never-disabled',
    about: 'A hook is repeated for ever',
    edits: [{ find: 'if (isGone || now - since >= HOOK_FAILING_DAYS * DAY_MS)', replace: 'if (isGone)' }],
    ...inCore,
  },
  {
    id: 'hook-sixth',
    about: 'An identity has more than five hooks',
    edits: [{ find: 'if (this.#rows().length >= MAX_EVENT_HOOKS) return false', replace: '' }],
    ...inCore,
  },
])
