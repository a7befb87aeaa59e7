-- Each index as the migrations leave it and PostgreSQL says it; behind it the constraint that it is for.
CREATE UNIQUE INDEX calendar_events_pkey ON tickler.calendar_events USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX channel_opt_outs_pkey ON tickler.channel_opt_outs USING btree (user_id, channel); -- PRIMARY KEY (user_id, channel)
CREATE UNIQUE INDEX contact_points_pkey ON tickler.contact_points USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX contact_points_user_id_channel_address_key ON tickler.contact_points USING btree (user_id, channel, address); -- UNIQUE (user_id, channel, address)
CREATE UNIQUE INDEX deferred_touches_pkey ON tickler.deferred_touches USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX deliveries_pkey ON tickler.deliveries USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX delivery_attempts_pkey ON tickler.delivery_attempts USING btree (delivery_id, claim); -- PRIMARY KEY (delivery_id, claim)
CREATE UNIQUE INDEX domain_events_pkey ON tickler.domain_events USING btree (stream_id, version); -- PRIMARY KEY (stream_id, version)
CREATE UNIQUE INDEX event_reminders_pkey ON tickler.event_reminders USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX imports_pkey ON tickler.imports USING btree (source); -- PRIMARY KEY (source)
CREATE UNIQUE INDEX inbox_pkey ON tickler.inbox USING btree (consumer, reminder_id); -- PRIMARY KEY (consumer, reminder_id)
CREATE INDEX ix_calendar_events_start ON tickler.calendar_events USING btree (start_at, id);
CREATE INDEX ix_calendar_events_tenant_start ON tickler.calendar_events USING btree (tenant_id, start_at, id);
CREATE INDEX ix_calendar_events_tz_version ON tickler.calendar_events USING btree (tz_version) WHERE (status = ANY (ARRAY['Planned'::text, 'InProgress'::text]));
CREATE INDEX ix_deferred_touches_answered ON tickler.deferred_touches USING btree (id) WHERE (status = 'Answered'::text);
CREATE INDEX ix_deferred_touches_caller_waiting ON tickler.deferred_touches USING btree (tenant_id, caller) WHERE (status = ANY (ARRAY['Pending'::text, 'InProgress'::text]));
CREATE INDEX ix_deferred_touches_failed ON tickler.deferred_touches USING btree (id) WHERE (status = 'Failed'::text);
CREATE INDEX ix_deferred_touches_in_progress ON tickler.deferred_touches USING btree (tenant_id, id) WHERE (status = 'InProgress'::text);
CREATE INDEX ix_deferred_touches_origin ON tickler.deferred_touches USING btree (tenant_id, user_id, id);
CREATE INDEX ix_deferred_touches_tenant_due_at ON tickler.deferred_touches USING btree (tenant_id, due_at, id) WHERE (status = 'Pending'::text);
CREATE INDEX ix_deferred_touches_user ON tickler.deferred_touches USING btree (user_id, id);
CREATE INDEX ix_deliveries_left ON tickler.deliveries USING btree (status) WHERE (status = ANY (ARRAY['Failed'::text, 'Unknown'::text]));
CREATE INDEX ix_deliveries_pending ON tickler.deliveries USING btree (channel, due_at, id, not_before) WHERE (status = 'Pending'::text);
CREATE INDEX ix_deliveries_sending ON tickler.deliveries USING btree (channel) WHERE (status = 'Sending'::text);
CREATE INDEX ix_event_reminders_event_id ON tickler.event_reminders USING btree (event_id);
CREATE INDEX ix_event_reminders_status_due_at ON tickler.event_reminders USING btree (status, due_at, id) WHERE (status = 'Pending'::text);
CREATE INDEX ix_imports_calendar ON tickler.imports USING btree (calendar);
CREATE INDEX ix_imports_uid ON tickler.imports USING btree (uid);
CREATE INDEX ix_inbox_received_at ON tickler.inbox USING btree (received_at, reminder_id, consumer);
CREATE INDEX ix_outbox_parked ON tickler.outbox USING btree (parked_at, "position") WHERE (parked_at IS NOT NULL);
CREATE INDEX ix_outbox_published ON tickler.outbox USING btree (published_at, message_id) WHERE (published_at IS NOT NULL);
CREATE INDEX ix_outbox_unpublished ON tickler.outbox USING btree ("position") WHERE ((published_at IS NULL) AND (parked_at IS NULL));
CREATE INDEX ix_plan_requests_user ON tickler.plan_requests USING btree (user_id);
CREATE INDEX ix_quarantine_at ON tickler.quarantine USING btree (at, topic, partition, "offset");
CREATE INDEX ix_tokens_parent ON tickler.tokens USING btree (parent) WHERE (parent IS NOT NULL);
CREATE INDEX ix_tokens_sessions_expires_at ON tickler.tokens USING btree (expires_at) WHERE (user_id IS NOT NULL);
CREATE INDEX ix_touch_plans_next_at ON tickler.touch_plans USING btree (next_at, id) WHERE (next_at IS NOT NULL);
CREATE INDEX ix_touch_plans_tenant ON tickler.touch_plans USING btree (tenant_id, id);
CREATE INDEX ix_touch_requests_touch_id ON tickler.touch_requests USING btree (touch_id);
CREATE UNIQUE INDEX notice_matters_pkey ON tickler.notice_matters USING btree (notice_id, kind, id); -- PRIMARY KEY (notice_id, kind, id)
CREATE UNIQUE INDEX one_message_an_address ON tickler.deliveries USING btree (about_id, channel, address_key); -- UNIQUE (about_id, channel, address_key)
CREATE UNIQUE INDEX outbox_pkey ON tickler.outbox USING btree (message_id); -- PRIMARY KEY (message_id)
CREATE UNIQUE INDEX people_pkey ON tickler.people USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX people_tenant_id_handle_key ON tickler.people USING btree (tenant_id, handle); -- UNIQUE (tenant_id, handle)
CREATE UNIQUE INDEX plan_requests_pkey ON tickler.plan_requests USING btree (tenant_id, caller, key); -- PRIMARY KEY (tenant_id, caller, key)
CREATE UNIQUE INDEX plan_texts_pkey ON tickler.plan_texts USING btree (plan_id); -- PRIMARY KEY (plan_id)
CREATE UNIQUE INDEX pruning_marks_pkey ON tickler.pruning_marks USING btree (what); -- PRIMARY KEY (what)
CREATE UNIQUE INDEX quarantine_pkey ON tickler.quarantine USING btree (topic, partition, "offset", fingerprint); -- PRIMARY KEY (topic, partition, "offset", fingerprint)
CREATE UNIQUE INDEX schema_migrations_pkey ON tickler.schema_migrations USING btree (name); -- PRIMARY KEY (name)
CREATE UNIQUE INDEX tenants_handle_key ON tickler.tenants USING btree (handle); -- UNIQUE (handle)
CREATE UNIQUE INDEX tenants_pkey ON tickler.tenants USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX texts_pkey ON tickler.texts USING btree (event_id); -- PRIMARY KEY (event_id)
CREATE UNIQUE INDEX tokens_pkey ON tickler.tokens USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX touch_plans_pkey ON tickler.touch_plans USING btree (id); -- PRIMARY KEY (id)
CREATE UNIQUE INDEX touch_requests_pkey ON tickler.touch_requests USING btree (tenant_id, caller, key); -- PRIMARY KEY (tenant_id, caller, key)
CREATE UNIQUE INDEX touch_texts_pkey ON tickler.touch_texts USING btree (touch_id); -- PRIMARY KEY (touch_id)
CREATE UNIQUE INDEX ux_deferred_touches_occurrence ON tickler.deferred_touches USING btree (plan_id, plan_revision, plan_slot) WHERE (plan_id IS NOT NULL);
CREATE UNIQUE INDEX ux_event_reminders_pending_trigger ON tickler.event_reminders USING btree (event_id, trigger) WHERE (status = 'Pending'::text);
CREATE UNIQUE INDEX ux_tokens_digest ON tickler.tokens USING btree (digest);
CREATE UNIQUE INDEX ux_tokens_name ON tickler.tokens USING btree (tenant_id, name) WHERE (user_id IS NULL);
