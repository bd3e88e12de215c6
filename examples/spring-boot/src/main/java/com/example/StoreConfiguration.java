package com.example;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.micrometer.FlexDBMetrics;
import io.flexdb.storage.StoreHealth;
import java.nio.file.Path;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One store for the whole application: it is opened at the start, and closed when no request is served any more. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(StoreProperties.class)
class StoreConfiguration {
    @Bean(destroyMethod = "close")
    FlexDB store(StoreProperties properties) {
        FlexDBOptions options = FlexDBOptions.defaults().withProperties(properties.options(), "");
        return FlexDB.open(Path.of(properties.directory()), options);
    }

    @Bean
    Orders orders(FlexDB store) {
        return new Orders(store);
    }

    /** Spring Boot binds it to the registry, since it is a {@code MeterBinder}. */
    @Bean(destroyMethod = "close")
    FlexDBMetrics storeMetrics(FlexDB store) {
        return new FlexDBMetrics(store, "orders");
    }

    /** The component {@code store} of the health: up while the store takes reads and writes. */
    @Bean
    HealthIndicator storeHealthIndicator(FlexDB store) {
        return () -> {
            StoreHealth health = store.health();
            Health.Builder answer = health.isUsable() ? Health.up() : Health.down();
            if (health.cause() != null) {
                answer.withException(health.cause());
            }
            return answer.withDetail("state", health.state().label()).build();
        };
    }
}
