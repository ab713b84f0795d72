import { defineFaults } from '../fault.ts'

/** Core: web hooks of the event feed. */
export const HOOK_FAULTS = defineFaults([
  {
    id: 'hook-ip-address',
    about: 'A hook may be an IP address',
    find: "if (host.startsWith('[') || /^\\d+(?:\\.\\d+){3}$/.test(host)) return 'ip_address'",
    replace: '',
    tests: ['events/hooks'],
  },
  {
    id: 'hook-own-host',
    about: 'A hook may be a host of the deployment',
    find: 'ownHosts: own.map((url) => new URL(url).hostname)',
    replace: 'ownHosts: []',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-redirect',
    about: 'A delivery follows a redirect',
    find: "redirect: 'manual', headers: { 'content-type': 'application/json', 'user-agent'",
    replace: "redirect: 'follow', headers: { 'content-type': 'application/json', 'user-agent'",
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-redirect-counts',
    about: 'A redirect counts as a success',
    find: 'if (status >= 200 && status <= 299) return null',
    replace: 'if (status >= 200 && status <= 399) return null',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-unproved',
    about: 'A hook is told of events before its address has proved itself',
    find: "SET due_at = ? WHERE status = 'active' AND due_at IS NULL",
    replace: 'SET due_at = ? WHERE due_at IS NULL',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-echo',
    about: 'An address proves itself by repeating what it was sent',
    find: 'answer.success && answer.data.did === caller.did && equalSecrets',
    replace: 'answer.success && equalSecrets',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-failure-moves-on',
    about: 'A page that was not taken is not sent again',
    find: 'if (events.hooks.failed(hook, failed, now)) events.add',
    replace: 'events.hooks.delivered(hook, lastOf(reading, hook), null); if (failed.isGone) events.add',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-never-disabled',
    about: 'A hook is repeated for ever',
    find: 'if (isGone || now - since >= HOOK_FAILING_DAYS * DAY_MS)',
    replace: 'if (isGone)',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-sixth',
    about: 'An identity has more than five hooks',
    find: 'if (this.#rows().length >= MAX_EVENT_HOOKS) return false',
    replace: '',
    tests: ['test/events/hook'],
  },
])
