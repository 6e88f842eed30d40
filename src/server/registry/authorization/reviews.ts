import { localSubjectAccessReview } from '../../../api/authorization/local-subject-access-review.js';
import { selfSubjectAccessReview } from '../../../api/authorization/self-subject-access-review.js';
import { subjectAccessReview } from '../../../api/authorization/subject-access-review.js';
import type {
  V1LocalSubjectAccessReview, V1SelfSubjectAccessReview, V1SelfSubjectRulesReview, V1SubjectAccessReview, V1SubjectAccessReviewSpec, V1SubjectAccessReviewStatus,
} from '../../../api/generated/types.js';
import type { FieldError } from '../../../api/meta/field-error.js';
import { badRequestError, invalidError, StatusError } from '../../../api/status-error.js';
import type { UserInfo } from '../../authn/authenticator.js';
import type { RuleResolver } from '../../authz/rule-resolver.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { virtualHandler } from '../virtual.js';
import { reviewAttributes, selectorErrors } from './attributes.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';

const GROUP = 'authorization.k8s.io';

const kindOf = (kind: string) => ({ group: GROUP, version: 'v1', kind });

type ReviewSpec = Parameters<typeof reviewAttributes>[1];

/** Upstream leaves the kind out here, and clients see that. */
function requireValid(errors: readonly FieldError[] | undefined): void {
  if (!errors || errors.length === 0) return;
  const { status } = invalidError({ group: GROUP, kind: '' }, '', errors);
  const { kind: _kind, ...details } = status.details!;
  throw new StatusError({ ...status, details });
}

async function decide(context: ServerContext, user: UserInfo, spec: ReviewSpec): Promise<V1SubjectAccessReviewStatus> {
  const { decision, reason } = await context.authorize(reviewAttributes(user, spec));
  const evaluationError = selectorErrors(spec);
  return { allowed: decision === 'allow', ...(decision === 'deny' ? { denied: true } : {}), ...(reason === '' ? {} : { reason }), ...(evaluationError === undefined ? {} : { evaluationError }) };
}

function userOf(spec: V1SubjectAccessReviewSpec): UserInfo {
  return { name: spec.user ?? '', uid: spec.uid ?? '', groups: spec.groups ?? [], extra: spec.extra ?? {} };
}

/** May somebody do something? */
function subjectHandler(context: ServerContext): CustomHandler {
  return virtualHandler<V1SubjectAccessReview>(context, {
    path: `${GROUP}/subjectaccessreviews`,
    kind: kindOf('SubjectAccessReview'),
    run: async ({ object, validate }) => {
      requireValid(subjectAccessReview.validate?.(object as V1SubjectAccessReview, { now: context.clock.now(), userName: '' }));
      await validate();
      return { object: { ...object, status: await decide(context, userOf(object.spec), object.spec) } };
    },
  });
}

/** The same within one namespace. */
function localHandler(context: ServerContext): CustomHandler {
  return virtualHandler<V1LocalSubjectAccessReview>(context, {
    path: `${GROUP}/localsubjectaccessreviews`,
    kind: kindOf('LocalSubjectAccessReview'),
    run: async ({ object, validate }) => {
      requireValid(localSubjectAccessReview.validate?.(object as V1LocalSubjectAccessReview, { now: context.clock.now(), userName: '' }));
      await validate();
      return { object: { ...object, status: await decide(context, userOf(object.spec), object.spec) } };
    },
  });
}

/** May the caller do something? */
function selfHandler(context: ServerContext): CustomHandler {
  return virtualHandler<V1SelfSubjectAccessReview>(context, {
    path: `${GROUP}/selfsubjectaccessreviews`,
    kind: kindOf('SelfSubjectAccessReview'),
    run: async ({ request, object, validate }) => {
      requireValid(selfSubjectAccessReview.validate?.(object as V1SelfSubjectAccessReview, { now: context.clock.now(), userName: request.user.name }));
      await validate();
      return { object: { ...object, status: await decide(context, request.user, object.spec) } };
    },
  });
}

/** What may the caller do in a namespace? */
function rulesHandler(context: ServerContext, resolver: RuleResolver): CustomHandler {
  return virtualHandler<V1SelfSubjectRulesReview>(context, {
    path: `${GROUP}/selfsubjectrulesreviews`,
    kind: kindOf('SelfSubjectRulesReview'),
    run: async ({ request, object, validate }) => {
      const namespace = object.spec?.namespace ?? '';
      if (namespace === '') throw badRequestError('no namespace on request');
      await validate();
      const { rules, incomplete, errors } = resolver.rulesFor(request.user, namespace);
      const resourceRules = rules.filter((rule) => rule.resources?.length).map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) }));
      const nonResourceRules = rules.filter((rule) => rule.nonResourceURLs?.length).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
      const evaluationError = aggregateText(errors);
      return {
        object: {
          metadata: {},
          spec: {},
          status: { resourceRules, nonResourceRules, incomplete, ...(errors.length > 0 ? { evaluationError } : {}) },
        },
      };
    },
  });
}

/** The four access reviews. */
export function accessReviewHandlers(context: ServerContext, resolver: RuleResolver): CustomHandler[] {
  return [subjectHandler(context), localHandler(context), selfHandler(context), rulesHandler(context, resolver)];
}
